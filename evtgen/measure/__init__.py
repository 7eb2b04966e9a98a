"""What is found out about emitted code: the accuracy of operators, times by the model's clock, the rules of the
device's C++."""
