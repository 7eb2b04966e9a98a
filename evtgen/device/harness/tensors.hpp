// Tensors of a program of `evtgen verify`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "matrices.hpp"
#include "problem.hpp"

namespace harness {

/// Tensors in device memory, from and to files named after them.
class Tensors {
public:
    Tensors(std::string inputs, std::string outputs) : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

    /// Null for 0 bytes.
    uint8_t* Allocate(size_t bytes);

    /// What is in the file of an input. Fails unless it has exactly so many bytes.
    std::vector<uint8_t> Read(char const* name, size_t bytes);

    /// The same in device memory; of 0 bytes it is not null either.
    uint8_t* Upload(char const* name, size_t bytes);

    /// The matrices of an operand, each in memory of its own; returns the list of their addresses.
    uint8_t* UploadEach(char const* name, Matrices& operand);

    /// Only the rows that no number of their part names: the others are the kernel's to write. Each of so many parts has
    /// m rows.
    uint8_t* UploadOthers(char const* name, size_t bytes, char const* numbers, size_t parts, Problem const& problem);

    /// A table of the memories of so many ranks, each one apart; in the file, their bytes lie one after the other. Of rows,
    /// if there are any, only those that no number names.
    uint8_t* UploadRanks(
        char const* name, uint32_t count, size_t bytes, uint32_t rows = 0, char const* numbers = "",
        char const* ranks = "");

    /// What is in those memories, one after the other.
    void DownloadRanks(char const* name, size_t bytes);

    /// So many numbers of rows, or of ranks.
    std::vector<int32_t> Indices(char const* name, uint32_t count);

    /// Null without a file: a tensor that has a default.
    uint8_t* UploadIfThere(char const* name, size_t bytes);

    /// The value of an input that has one.
    template <class T> T Number(char const* name)
    {
        T value{};
        ReadNumber(name, &value, sizeof(T));
        return value;
    }

    /// Writes what is in device memory to the file of an output.
    void Download(char const* name, uint8_t const* device, size_t bytes);

    /// Writes the file of an output, NAME.out.bin.
    void Write(char const* name, std::vector<uint8_t> const& host);

private:
    void ReadNumber(char const* name, void* value, size_t bytes);

    std::string inputs_;
    std::string outputs_;
    std::map<std::string, std::vector<uint8_t*>> memories_;
};

}  // namespace harness
