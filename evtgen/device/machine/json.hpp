// Writing JSON straight to a file: nothing is kept in memory, so traces may be long.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace machine {

/// The writer puts commas and escapes; the caller must make keys and values alternate.
class JsonWriter {
public:
    /// The separator between the elements of an array or the members of an object.
    enum class Layout : uint8_t { Line, Lines };

    explicit JsonWriter(std::FILE* file) : file_(file) {}

    JsonWriter& BeginObject(Layout layout = Layout::Line);
    JsonWriter& EndObject();
    JsonWriter& BeginArray(Layout layout = Layout::Line);
    JsonWriter& EndArray();
    /// The key of the member that comes next.
    JsonWriter& Key(std::string_view key);
    JsonWriter& Text(std::string_view text);
    JsonWriter& Number(uint64_t number);

    JsonWriter& Member(std::string_view key, std::string_view text) { return Key(key).Text(text); }
    JsonWriter& Member(std::string_view key, uint64_t number) { return Key(key).Number(number); }
    /// Ends the file's last line.
    void End();

private:
    struct Scope {
        Layout layout;
        bool empty;
    };

    JsonWriter& Begin(char bracket, Layout layout);
    JsonWriter& End(char bracket);
    /// Separates a value or a key from the previous one in its array or object.
    void Separate();
    void Quote(std::string_view text);

    std::FILE* file_;
    std::vector<Scope> scopes_;
    bool afterKey_ = false;
};

}  // namespace machine
