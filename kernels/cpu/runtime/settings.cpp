#include "settings.hpp"

#include <cstdlib>
#include <thread>

namespace hipcpu {

bool set_option(const std::string& name, const std::string& value) {
  Settings& s = settings();
  if (name == "schedule") {
    if (value == "ascending") s.schedule = Schedule::ascending;
    else if (value == "descending") s.schedule = Schedule::descending;
    else if (value == "ahead") s.schedule = Schedule::ahead;
    else if (value == "behind") s.schedule = Schedule::behind;
    else if (value == "together") s.schedule = Schedule::together;
    else if (value.rfind("random", 0) == 0) {
      s.schedule = Schedule::random;
      s.seed = value.size() > 7 ? strtoull(value.c_str() + 7, nullptr, 0) : 1;
    } else return false;
  } else if (name == "threads") {
    s.threads = unsigned(strtoul(value.c_str(), nullptr, 0));
    if (!s.threads) s.threads = std::thread::hardware_concurrency();
  } else if (name == "poison") s.poison = (unsigned char)strtoul(value.c_str(), nullptr, 0);
  else if (name == "guard") s.guard_start = value == "start";
  else if (name == "fault") s.exit_on_fault = value == "exit";
  else if (name == "exited") s.allow_exited = value == "allow";
  else if (name == "stack") s.stack_bytes = strtoull(value.c_str(), nullptr, 0);
  else if (name == "stall") s.stall_seconds = strtod(value.c_str(), nullptr);
  else if (name == "align") s.align = strtoull(value.c_str(), nullptr, 0);
  else if (name == "measure") s.measure = strtoull(value.c_str(), nullptr, 0);
  else if (name == "report") s.report = value;
  else return false;
  return true;
}

Settings& settings() {
  static Settings* instance = nullptr;
  if (!instance) {
    instance = new Settings;
    for (const char* name : {"schedule", "threads", "poison", "guard", "fault", "exited", "stack", "stall", "align", "measure", "report"}) {
      std::string variable = "HIPCPU_";
      for (const char* c = name; *c; ++c) variable += char(*c - 'a' + 'A');
      if (const char* value = getenv(variable.c_str())) set_option(name, value);
    }
  }
  return *instance;
}

}  // namespace hipcpu

extern "C" int hipcpu_set_option(const char* name, const char* value) { return hipcpu::set_option(name, value) ? 0 : 1; }
