// What a program of `evtgen verify` runs: a matmul or several, and where their tensors lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace harness {

enum Exit { OK = 0, WRONG_CALL = 2, REFUSED = 3, FAILED = 4 };

/// Says why on stderr, and ends the program with a status.
[[noreturn]] void Fail(Exit status, std::string const& why);

/// Fails unless a call of AscendCL has succeeded.
void Check(int error, char const* what);

/// How a tensor lies that neither is packed nor has the gaps of all tensors.
struct Place {
    std::string name;
    int64_t lines;  // elements from one row to the next, or from one column
    int64_t parts;  // elements from the part of one matmul to that of the next
    size_t bytes;
};

/// What a kernel computes in one launch: one matmul, or several, whose rows follow each other in every tensor.
struct Problem {
    uint32_t m;  // of a batch, of one matmul; else all rows that there is room for
    uint32_t n;
    uint32_t k;
    uint32_t pad;                             // elements between the rows of a tensor, and between its parts
    std::vector<uint32_t> rows;               // of each matmul
    std::vector<uint32_t> depths;             // the part of K of each, if that lies in groups
    std::vector<std::string> shared;          // names of the tensors that all matmuls have in common
    std::map<std::string, uint32_t> repeats;  // how many matmuls, one after the other, take one part of a tensor
    std::vector<Place> places;
    uint32_t ranks;
    std::vector<uint32_t> weights;  // the number of the B that each matmul takes; empty: its own
    uint32_t weightCount{0};        // Bs that there are then

    /// Null of a tensor that lies as all others do.
    Place const* PlaceOf(char const* tensor) const;

    /// The elements from one line of a tensor to the next; otherwise, if it has no place of its own.
    int64_t Lines(char const* tensor, int64_t otherwise) const;

    /// The bytes of a tensor; otherwise, if it has no place of its own.
    size_t Bytes(char const* tensor, size_t otherwise) const;

    /// The number of matmuls.
    uint32_t Count() const { return static_cast<uint32_t>(rows.size()); }

    /// Whether all matmuls have a tensor in common.
    bool Shares(char const* tensor) const;

    /// How many matmuls, one after the other, take one part of a tensor.
    uint32_t Repeat(char const* tensor) const;

    /// The parts that a tensor has.
    size_t Parts(char const* tensor) const
    {
        return Shares(tensor) ? 1 : (rows.size() + Repeat(tensor) - 1) / Repeat(tensor);
    }

    /// The rows of those parts, and those that there is room for behind them.
    size_t Rows(char const* tensor) const;

    /// The number of a matmul's B.
    uint32_t PartOfB(uint32_t matmul) const { return weightCount == 0 ? matmul / Repeat("gemm.B") : weights[matmul]; }

    /// Of B, how many there are.
    size_t PartsOfB() const { return weightCount == 0 ? Parts("gemm.B") : weightCount; }

    /// The elements between those parts and behind the last; a part that all share has none.
    size_t Gaps(char const* tensor) const { return Shares(tensor) ? 0 : Parts(tensor) * pad; }

    /// The same of B.
    size_t GapsOfB() const { return weightCount == 0 ? Gaps("gemm.B") : size_t{weightCount} * pad; }

    /// Whether there is room for more rows than the matmuls have.
    bool HasRoom() const;
};

/// The problem that the words of a command line give. Fails if they give none.
Problem ProblemOf(int argc, char** argv);

}  // namespace harness
