#include "tensors.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "machine/memory.hpp"

namespace harness {

uint8_t* Tensors::Allocate(size_t bytes)
{
    uint8_t* device = nullptr;
    if (bytes > 0) {
        device = static_cast<uint8_t*>(machine::AllocateGlobal(bytes));
        if (device == nullptr) { Fail(FAILED, "no memory for " + std::to_string(bytes) + " bytes on the device"); }
    }
    return device;
}

std::vector<uint8_t> Tensors::Read(char const* name, size_t bytes)
{
    std::string path = inputs_ + "/" + name + ".bin";
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) { Fail(WRONG_CALL, "cannot open " + path); }
    std::vector<uint8_t> host(bytes);
    size_t got = std::fread(host.data(), 1, bytes, file);
    bool longer = std::fgetc(file) != EOF;
    std::fclose(file);
    if (got != bytes || longer) { Fail(WRONG_CALL, path + " does not have " + std::to_string(bytes) + " bytes"); }
    return host;
}

uint8_t* Tensors::Upload(char const* name, size_t bytes)
{
    std::vector<uint8_t> const host = Read(name, bytes);
    uint8_t* device = Allocate(std::max<size_t>(bytes, 1));  // what no group has is no null pointer
    if (bytes > 0) { machine::WriteGlobal(device, host.data(), bytes); }
    return device;
}

uint8_t* Tensors::UploadEach(char const* name, Matrices& operand)
{
    std::vector<uint8_t> const host = Read(name, operand.Bytes());
    size_t const stride = operand.parts > 1 ? operand.BytesOf(operand.Stride()) : host.size();
    for (size_t i = 0; i < operand.parts; ++i) {
        size_t const bytes = std::min(stride, host.size() - i * stride);
        operand.each.push_back(Allocate(bytes));
        machine::WriteGlobal(operand.each[i], &host[i * stride], bytes);
    }
    size_t const bytes = operand.parts * sizeof(uint8_t*);
    uint8_t* list = Allocate(std::max<size_t>(bytes, 1));
    if (bytes > 0) { machine::WriteGlobal(list, operand.each.data(), bytes); }
    return list;
}

uint8_t* Tensors::UploadOthers(
    char const* name, size_t bytes, char const* numbers, size_t parts, Problem const& problem)
{
    std::vector<uint8_t> const host = Read(name, bytes);
    Place const* place = problem.PlaceOf(numbers);
    size_t const count = parts > 1 ? problem.Parts(numbers) : 1;
    std::vector<uint8_t> const named = Read(numbers, problem.Bytes(numbers, count * problem.m * sizeof(int32_t)));
    size_t const apart = count == 1 ? 0 : place == nullptr ? problem.m : static_cast<size_t>(place->parts);
    size_t const rows = parts * problem.m;
    std::vector<bool> isNamed(rows);
    for (size_t i = 0; i < rows; ++i) {
        size_t const part = i / problem.m;
        size_t const at = part / problem.Repeat(numbers) * apart + i % problem.m;
        int32_t number = 0;
        std::memcpy(&number, &named[at * sizeof(number)], sizeof(number));
        if (number >= 0 && static_cast<uint32_t>(number) < problem.m) { isNamed[part * problem.m + number] = true; }
    }
    uint8_t* device = Allocate(bytes);
    size_t const row = bytes / rows;
    for (size_t i = 0; i < rows; ++i) {
        if (!isNamed[i]) { machine::WriteGlobal(device + i * row, &host[i * row], row); }
    }
    return device;
}

uint8_t* Tensors::UploadRanks(
    char const* name, uint32_t count, size_t bytes, uint32_t rows, char const* numbers, char const* ranks)
{
    std::vector<uint8_t> const host = Read(name, count * bytes);
    std::vector<bool> isNamed(size_t{count} * std::max(rows, 1u));
    std::vector<int32_t> const ofRows = Indices(numbers, rows), ofRanks = Indices(ranks, rows);
    for (uint32_t i = 0; i < rows; ++i) {
        auto const row = static_cast<uint32_t>(ofRows[i]), rank = static_cast<uint32_t>(ofRanks[i]);
        if (row < rows && rank < count) { isNamed[size_t{rank} * rows + row] = true; }
    }
    size_t const piece = rows == 0 ? bytes : bytes / rows;
    for (size_t i = 0; i < isNamed.size(); ++i) {
        if (i % std::max(rows, 1u) == 0) { memories_[name].push_back(Allocate(std::max<size_t>(bytes, 1))); }
        uint8_t* const to = memories_[name].back() + i % std::max(rows, 1u) * piece;
        if (!isNamed[i] && piece > 0) { machine::WriteGlobal(to, &host[i * piece], piece); }
    }
    size_t const size = count * sizeof(uint8_t*);
    uint8_t* const table = Allocate(size);
    machine::WriteGlobal(table, memories_[name].data(), size);
    return table;
}

void Tensors::DownloadRanks(char const* name, size_t bytes)
{
    std::vector<uint8_t> all;
    for (uint8_t const* own : memories_[name]) {
        std::vector<uint8_t> host(bytes);
        if (bytes > 0) {
            machine::ReadGlobal(host.data(), own, bytes);
            machine::UseHost(host.data(), bytes);
        }
        all.insert(all.end(), host.begin(), host.end());
    }
    Write(name, all);
}

std::vector<int32_t> Tensors::Indices(char const* name, uint32_t count)
{
    std::vector<int32_t> numbers(count);
    if (count > 0) {
        std::vector<uint8_t> const bytes = Read(name, count * sizeof(int32_t));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
    }
    return numbers;
}

uint8_t* Tensors::UploadIfThere(char const* name, size_t bytes)
{
    std::FILE* file = std::fopen((inputs_ + "/" + name + ".bin").c_str(), "rb");
    if (file == nullptr) { return nullptr; }
    std::fclose(file);
    return Upload(name, bytes);
}

void Tensors::ReadNumber(char const* name, void* value, size_t bytes)
{
    machine::ReadGlobal(value, Upload(name, bytes), bytes);
}

void Tensors::Download(char const* name, uint8_t const* device, size_t bytes)
{
    std::vector<uint8_t> host(bytes);
    if (bytes > 0) {
        machine::ReadGlobal(host.data(), device, bytes);
        machine::UseHost(host.data(), bytes);
    }
    Write(name, host);
}

void Tensors::Write(char const* name, std::vector<uint8_t> const& host)
{
    std::string path = outputs_ + "/" + name + ".out.bin";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(host.data(), 1, host.size(), file) != host.size() || std::fclose(file) != 0) {
        Fail(WRONG_CALL, "cannot write " + path + ": " + std::strerror(errno));
    }
}

}  // namespace harness
