#include "record.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <set>
#include <sys/time.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

extern "C" void rq_begin(void);

namespace trace
{
    namespace
    {
        struct Launch
        {
            const std::string* kernel;
            uint32_t           grid[3], block[3];
            size_t             shared_bytes;
            uint64_t           repeat;
        };

        using Hear = void (*)(const char* kernel, void** arguments);

        std::vector<Launch>        launches;
        std::map<std::string, int> boundaries, carried_out;
        std::set<std::pair<const std::string*, const void*>> places;
        std::string                text;
        Hear                       hear         = nullptr;
        size_t                     most         = 1 << 16;
        uint64_t                   all_launches = 0, most_launches = 1 << 20;
        int                        channel      = -1;

        const std::string& written()
        {
            char line[256];
            text.clear();
            for(const Launch& it : launches)
            {
                snprintf(line,
                         sizeof line,
                         " %u %u %u %u %u %u %zu %llu\n",
                         it.grid[0],
                         it.grid[1],
                         it.grid[2],
                         it.block[0],
                         it.block[1],
                         it.block[2],
                         it.shared_bytes,
                         (unsigned long long)it.repeat);
                text += "launch ";
                text += *it.kernel;
                text += line;
            }
            Dl_info own = {};
            dladdr(reinterpret_cast<void*>(&rq_begin), &own);
            for(const auto& it : places)
            {
                long long offset = (const char*)it.second - (const char*)own.dli_fbase;
                text += "from " + *it.first + " " + std::to_string(offset) + "\n";
            }
            for(const auto& it : boundaries)
                text += "boundary " + it.first + "\n";
            for(const auto& it : carried_out)
                text += "executed " + it.first + "\n";
            for(const auto& it : wanted())
                text += "wanted " + it + "\n";
            return text;
        }

        void send(const std::string& what)
        {
            size_t done = 0;
            while(done < what.size())
            {
                ssize_t now = write(channel, what.data() + done, what.size() - done);
                if(now <= 0)
                    break;
                done += size_t(now);
            }
        }

        void on_signal(int number)
        {
            // A second fault in here must not come back.
            signal(number, SIG_DFL);
            if(number == SIGALRM)
                give_up("timeout");
            const char* name = sigabbrev_np(number);
            give_up((std::string("crash SIG") + (name ? name : "?")).c_str());
        }
    }

    std::unordered_map<const void*, Kernel>& kernels()
    {
        // Static initialisers of the library's units register kernels before anything else runs.
        static std::unordered_map<const void*, Kernel> table;
        return table;
    }

    void begin()
    {
        launches.clear();
        boundaries.clear();
        carried_out.clear();
        want_nothing();
        places.clear();
        all_launches = 0;
    }

    void launched(const void*    stub,
                  const uint32_t grid[3],
                  const uint32_t block[3],
                  size_t         shared_bytes,
                  void**         arguments,
                  const void*    from)
    {
        static const std::string unknown = "?";
        auto                     found   = kernels().find(stub);
        Launch next{found == kernels().end() ? &unknown : &found->second.name, {}, {}, shared_bytes, 1};
        memcpy(next.grid, grid, sizeof next.grid);
        memcpy(next.block, block, sizeof next.block);
        if(from)
            places.insert({next.kernel, from});
        Launch* last = launches.empty() ? nullptr : &launches.back();
        if(last && last->kernel == next.kernel && !memcmp(last->grid, grid, sizeof next.grid)
           && !memcmp(last->block, block, sizeof next.block) && last->shared_bytes == shared_bytes)
            ++last->repeat;
        else
            launches.push_back(next);
        if(found != kernels().end())
        {
            launched_on(found->second, grid, block, arguments);
            if(found->second.heard && hear)
                hear(found->second.name.c_str(), arguments);
        }
        if(launches.size() >= most || ++all_launches >= most_launches)
            give_up("stopped");
    }

    void executed(const std::string& kernel)
    {
        ++carried_out[kernel];
    }

    void missed(const char* name)
    {
        ++boundaries[name];
    }

    void named(const void* stub, const char* kernel)
    {
        kernels()[stub].name = kernel;
    }

    void give_up(const char* why)
    {
        send(std::string("status ") + why + "\n" + written() + "end\n");
        _exit(3);
    }
}

// --- what the worker calls --------------------------------------------------------------------

extern "C" {

void rq_begin(void)
{
    trace::begin();
}

const char* rq_record(void)
{
    return trace::written().c_str();
}

/// Names of all kernels, one a line.
const char* rq_kernels(void)
{
    static std::string names;
    names.clear();
    for(const auto& it : trace::kernels())
        names += it.second.name + "\n";
    return names.c_str();
}

/// Has launches of a kernel told.
void rq_hear(const char* kernel, trace::Hear how)
{
    trace::hear = how;
    for(auto& it : trace::kernels())
        if(it.second.name == kernel)
            it.second.heard = true;
}

/// From here on crashes and time-outs end with the record of the call on this channel.
void rq_answers_on(int channel, size_t most_lines, size_t most_launches)
{
    trace::channel       = channel;
    trace::most          = most_lines;
    trace::most_launches = most_launches;
    // A stack that overflowed cannot run a handler.
    static char      stack[1 << 16];
    stack_t          other{stack, 0, sizeof stack};
    struct sigaction action = {};
    action.sa_handler       = trace::on_signal;
    action.sa_flags         = SA_ONSTACK;
    sigaltstack(&other, nullptr);
    for(int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU})
        sigaction(number, &action, nullptr);
}

/// Ends the process with what was recorded when this much processor time has gone by; 0: never.
void rq_alarm(long milliseconds)
{
    itimerval timer = {};
    timer.it_value  = {milliseconds / 1000, milliseconds % 1000 * 1000};
    setitimer(ITIMER_REAL, &timer, nullptr);
}

// Of the C library these two are no part of its shared object. The worker ends without them.
int rq_atexit(void (*)(void)) __asm__("atexit");
int rq_atexit(void (*)(void))
{
    return 0;
}
int rq_at_quick_exit(void (*)(void)) __asm__("at_quick_exit");
int rq_at_quick_exit(void (*)(void))
{
    return 0;
}

long rq_boundary(const char* name)
{
    trace::missed(name);
    return 0;
}
}
