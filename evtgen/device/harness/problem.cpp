#include "problem.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace harness {

namespace {

uint32_t Number(std::string const& text) { return static_cast<uint32_t>(std::strtoul(text.c_str(), nullptr, 10)); }

/// The parts of a list with commas, or another separator.
std::vector<std::string> Parts(char const* list, char separator = ',')
{
    std::vector<std::string> parts{""};
    for (; *list != '\0'; ++list) {
        if (*list == separator) {
            parts.emplace_back();
        } else {
            parts.back() += *list;
        }
    }
    return parts;
}

/// The numbers of such a list; "-" for none.
std::vector<uint32_t> Numbers(char const* list)
{
    std::vector<uint32_t> numbers;
    for (std::string const& part : Parts(list)) {
        if (part != "-") { numbers.push_back(Number(part)); }
    }
    return numbers;
}

}  // namespace

void Fail(Exit status, std::string const& why)
{
    std::fprintf(stderr, "harness: %s\n", why.c_str());
    std::exit(status);
}

void Check(int error, char const* what)
{
    if (error != 0) { Fail(FAILED, std::string(what) + " failed with " + std::to_string(error)); }
}

Place const* Problem::PlaceOf(char const* tensor) const
{
    auto const found =
        std::find_if(places.begin(), places.end(), [&](Place const& place) { return place.name == tensor; });
    return found == places.end() ? nullptr : &*found;
}

int64_t Problem::Lines(char const* tensor, int64_t otherwise) const
{
    Place const* place = PlaceOf(tensor);
    return place == nullptr ? otherwise : place->lines;
}

size_t Problem::Bytes(char const* tensor, size_t otherwise) const
{
    Place const* place = PlaceOf(tensor);
    return place == nullptr ? otherwise : place->bytes;
}

bool Problem::Shares(char const* tensor) const
{
    return std::find(shared.begin(), shared.end(), tensor) != shared.end();
}

uint32_t Problem::Repeat(char const* tensor) const
{
    auto const found = repeats.find(tensor);
    return found == repeats.end() ? 1 : found->second;
}

size_t Problem::Rows(char const* tensor) const
{
    auto const count = static_cast<int64_t>(std::min(rows.size(), Parts(tensor)));
    return std::max<size_t>(m, std::accumulate(rows.begin(), rows.begin() + count, size_t{0}));
}

bool Problem::HasRoom() const { return m > std::accumulate(rows.begin(), rows.end(), size_t{0}); }

Problem ProblemOf(int argc, char** argv)
{
    if (argc != 14) {
        Fail(
            WRONG_CALL,
            "usage: NAME M N K PAD DIRECTORY OUTPUT-DIRECTORY ROWS-OF-EACH K-OF-EACH SHARED-TENSORS,NAME:REPEATS "
            "NAME:LINES:PARTS:BYTES,... RANKS WEIGHT-OF-EACH,...,WEIGHTS");
    }
    uint32_t shape[3];
    for (int i = 0; i < 3; ++i) {
        shape[i] = Number(argv[2 + i]);
        if (shape[i] == 0) { Fail(WRONG_CALL, std::string("not a size: ") + argv[2 + i]); }
    }
    Problem problem{shape[0], shape[1], shape[2], Number(argv[5]),  Numbers(argv[8]), Numbers(argv[9]),
                    {},       {},       {},       Number(argv[12]), Numbers(argv[13])};
    for (std::string const& given : Parts(argv[10])) {
        std::vector<std::string> const parts = Parts(given.c_str(), ':');
        if (parts.size() == 2) {
            problem.repeats[parts[0]] = Number(parts[1]);
        } else {
            problem.shared.push_back(given);
        }
    }
    for (std::string const& given : Parts(argv[11])) {
        std::vector<std::string> const parts = Parts(given.c_str(), ':');
        if (parts.size() == 4) {
            int64_t const lines = std::strtoll(parts[1].c_str(), nullptr, 10);
            int64_t const apart = std::strtoll(parts[2].c_str(), nullptr, 10);
            problem.places.push_back({parts[0], lines, apart, std::strtoull(parts[3].c_str(), nullptr, 10)});
        }
    }
    problem.weightCount = problem.weights.back();
    problem.weights.pop_back();
    return problem;
}

}  // namespace harness
