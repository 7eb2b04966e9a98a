#include "config.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace machine {

namespace {

std::string Variable(char const* name)
{
    char const* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

[[noreturn]] void Refuse(char const* name, std::string const& value, char const* allowed)
{
    std::fprintf(stderr, "%s=%s: expected %s\n", name, value.c_str(), allowed);
    std::exit(2);
}

Config Load()
{
    Config config;
    config.report = Variable("EVTGEN_MODEL_REPORT");
    config.trace = Variable("EVTGEN_MODEL_TRACE");
    std::string const checks = Variable("EVTGEN_MODEL_CHECKS");
    if (!checks.empty() && checks != "all" && checks != "off") { Refuse("EVTGEN_MODEL_CHECKS", checks, "all or off"); }
    config.checks = checks != "off";
    std::string const execute = Variable("EVTGEN_MODEL_EXECUTE");
    if (!execute.empty() && execute != "on" && execute != "off") {
        Refuse("EVTGEN_MODEL_EXECUTE", execute, "on or off");
    }
    config.executes = execute != "off";
    config.checks = config.checks && config.executes;
    config.strict = Variable("EVTGEN_MODEL_STRICT") == "1";
    std::string const autoSync = Variable("EVTGEN_MODEL_AUTO_SYNC");
    if (!autoSync.empty() && autoSync != "on" && autoSync != "off") {
        Refuse("EVTGEN_MODEL_AUTO_SYNC", autoSync, "on or off");
    }
    config.autoSync = autoSync != "off";
    std::string const reserved = Variable("EVTGEN_MODEL_RESERVED_UBUF");
    if (!reserved.empty() && reserved != "on" && reserved != "off") {
        Refuse("EVTGEN_MODEL_RESERVED_UBUF", reserved, "on or off");
    }
    config.reservesUb = reserved != "off";
    std::string const saturation = Variable("EVTGEN_MODEL_SATURATION");
    if (!saturation.empty() && saturation != "on" && saturation != "off") {
        Refuse("EVTGEN_MODEL_SATURATION", saturation, "on or off");
    }
    config.saturates = saturation == "on";
    config.deterministic = Variable("EVTGEN_MODEL_DETERMINISTIC") == "1";
    std::string const schedule = Variable("EVTGEN_MODEL_SCHEDULE");
    if (schedule == "late") {
        config.schedule = Schedule::Late;
    } else if (schedule.rfind("random:", 0) == 0) {
        config.schedule = Schedule::Random;
        config.seed = std::strtoull(schedule.c_str() + 7, nullptr, 10);
    } else if (!schedule.empty() && schedule != "recorded") {
        Refuse("EVTGEN_MODEL_SCHEDULE", schedule, "recorded, late or random:SEED");
    }
    std::string const clock = Variable("EVTGEN_MODEL_CLOCK");
    if (!clock.empty() && clock != "on" && clock != "off") { Refuse("EVTGEN_MODEL_CLOCK", clock, "on or off"); }
    config.clock = clock != "off" || !config.trace.empty();
    std::string const cores = Variable("EVTGEN_MODEL_CORES");
    if (!cores.empty()) {
        char* end = nullptr;
        unsigned long const count = std::strtoul(cores.c_str(), &end, 10);
        if (*end != '\0' || count == 0 || count > 64) { Refuse("EVTGEN_MODEL_CORES", cores, "a number from 1 to 64"); }
        config.cores = static_cast<uint32_t>(count);
    }
    std::istringstream scales(Variable("EVTGEN_MODEL_SCALE"));
    for (std::string scale; std::getline(scales, scale, ',');) {
        size_t const colon = scale.find(':');
        double const factor = colon == std::string::npos ? 0 : std::strtod(scale.c_str() + colon + 1, nullptr);
        if (factor <= 0) { Refuse("EVTGEN_MODEL_SCALE", scale, "NAME:FACTOR"); }
        config.scales.push_back({scale.substr(0, colon), factor});
    }
    std::string const noise = Variable("EVTGEN_MODEL_NOISE");
    if (!noise.empty()) {
        char* end = nullptr;
        config.noise = std::strtoull(noise.c_str(), &end, 10);
        if (*end != '\0') { Refuse("EVTGEN_MODEL_NOISE", noise, "a number, the seed"); }
    }
    config.kinds = Variable("EVTGEN_MODEL_KINDS");
    std::string const parent = Variable("EVTGEN_MODEL_PARENT");
    if (!parent.empty()) { config.parent = static_cast<int>(std::strtol(parent.c_str(), nullptr, 10)); }
    return config;
}

}  // namespace

Config const& GetConfig()
{
    static Config const* const config = new Config(Load());  // never destroyed: the report is written at exit
    return *config;
}

}  // namespace machine
