#include "words.hpp"

#include <cstring>
#include <string>

#include "config.hpp"
#include "global.hpp"
#include "running.hpp"

namespace machine {

namespace {

int32_t ValueOf(void const* word)
{
    int32_t value;
    std::memcpy(&value, word, sizeof(value));
    return value;
}

}  // namespace

bool WordIsThere(Fiber const& fiber) { return ValueOf(fiber.word) == fiber.value; }

void AwaitWord(void* gm, int32_t value, char const* name, Site site)
{
    Core* const core = CoreOfCross(name, 0, Pipe::S, 0, site);
    Allocation const* const allocation = FindAllocation(gm);
    if (core == nullptr || !GetConfig().executes || allocation == nullptr) { return; }
    if (allocation->bytes - allocation->Offset(gm) < kWordBlock) { return; }  // the copies report that
    CheckMeeting(*core, name, Pipe::S, site);
    Force(Pipe::MTE3);
    Fiber& self = *running->current;
    self.word = gm;
    self.value = value;
    while (!WordIsThere(self)) {
        self.where = Fiber::Where::WaitsWord;
        self.waitCall = name;
        self.waitSite = site;
        SwitchOut();
    }
    if (auto const found = running->words.find(gm); found != running->words.end()) { core->ComeAfter(found->second); }
}

void RecordWord(void* gm, void* ub, void const* buffer, char const* name, Site site)
{
    Instruction instruction(Pipe::MTE3, name, site);
    instruction.Reads(Within(buffer, Bytes(Space::UB, ub, kWordBlock)));
    instruction.Writes(Bytes(Space::GM, gm, kWordBlock));
    instruction.Work(kWordBlock);
    instruction.Act([=] {
        std::memcpy(gm, ub, kWordBlock);
        running->words[gm] = CurrentCore()->ClockAfter(Pipe::MTE3);
    });
    instruction.Shadow([=] { ShadowCopy(gm, Space::GM, ub, Space::UB, kWordBlock); });
    Record(std::move(instruction));
}

}  // namespace machine
