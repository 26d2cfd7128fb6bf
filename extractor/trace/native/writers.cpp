// Who wrote device memory. Kernels are not run; those whose effect is closed are carried out where the host reads
// what they wrote, and only there. Between two writers the later one counts.
#include "record.hpp"

#include <cstring>
#include <map>

namespace trace
{
    namespace
    {
        struct Written
        {
            char *first, *last;
            bool  known;
        };

        // A write of the host, or a launch of a kernel whose effect is closed.
        struct Event
        {
            uint64_t                   when;
            Written                    range;
            const Kernel*              kernel;
            uint32_t                   geometry[6];
            std::vector<unsigned char> arguments;
            std::vector<char*>         leads;
        };

        using Describe = void (*)(const char* kernel);
        using CarryOut = int (*)(const char*     kernel,
                                 const uint32_t* geometry,
                                 const void*     arguments,
                                 char*           from,
                                 size_t          bytes);

        std::vector<Event>                        events;
        std::map<char*, uint64_t>                 open; // where open kernels were led to, and when last
        std::map<char*, std::set<const Kernel*>>  unknown;
        std::set<std::string>                     asked;
        std::vector<Written>                      done;
        uint64_t                                  now       = 0;
        Describe                                  describe  = nullptr;
        CarryOut                                  carry_out = nullptr;

        // Whether an open kernel was led to these bytes, or to ones before them, after some time.
        bool overwritten(const Region& region, const Written& range, uint64_t when)
        {
            for(auto it = open.lower_bound(region.first); it != open.end() && it->first < range.last; ++it)
                if(it->second > when)
                    return true;
            return false;
        }

        void take_from(std::vector<Written>& left, const Written& range)
        {
            std::vector<Written> rest;
            for(const Written& it : left)
            {
                if(range.last <= it.first || range.first >= it.last)
                {
                    rest.push_back(it);
                    continue;
                }
                if(it.first < range.first)
                    rest.push_back({it.first, range.first, false});
                if(range.last < it.last)
                    rest.push_back({range.last, it.last, false});
            }
            left.swap(rest);
        }

        bool leads_into(const Event& event, const Region& region)
        {
            for(char* it : event.leads)
                if(it >= region.first && it < region.last)
                    return true;
            return false;
        }
    }

    void launched_on(Kernel& kernel, const uint32_t grid[3], const uint32_t block[3], void** arguments)
    {
        if(!kernel.described && describe)
            describe(kernel.name.c_str());
        std::vector<char*> leads;
        for(size_t n = 0; n < kernel.leads.size(); ++n)
        {
            char* to = nullptr;
            if(kernel.leads[n] != 'w')
                continue;
            memcpy(&to, arguments[n], sizeof to);
            if(on_device(to))
                leads.push_back(to);
        }
        if(leads.empty())
            return;
        ++now;
        if(kernel.effect == Effect::closed)
        {
            Event event{now, {}, &kernel, {grid[0], grid[1], grid[2], block[0], block[1], block[2]}, {}, leads};
            for(size_t n = 0; n < kernel.sizes.size(); ++n)
            {
                auto* from = static_cast<unsigned char*>(arguments[n]);
                event.arguments.insert(event.arguments.end(), from, from + kernel.sizes[n]);
            }
            events.push_back(std::move(event));
            return;
        }
        for(char* to : leads)
            if(kernel.effect == Effect::open)
                open[to] = now;
            else
                unknown[to].insert(&kernel);
    }

    void wrote(void* to, size_t bytes, bool known)
    {
        if(bytes)
            events.push_back({++now, {(char*)to, (char*)to + bytes, known}, nullptr, {}, {}, {}});
    }

    bool settle(const void* from, size_t bytes, void* to)
    {
        char*        first = (char*)from;
        const Region region = region_of(from);
        for(auto it = unknown.lower_bound(region.first); it != unknown.end() && it->first < first + bytes; ++it)
            for(const Kernel* kernel : it->second)
                asked.insert(kernel->name);
        std::vector<Written> left{{first, first + bytes, false}}, found;
        bool                 lost = false, tried = false;
        for(size_t n = events.size(); n-- && !left.empty();)
        {
            const Event& event = events[n];
            done.clear();
            if(event.kernel && carry_out && leads_into(event, region))
            {
                tried = true;
                for(const Written& it : left)
                    if(carry_out(event.kernel->name.c_str(),
                                 event.geometry,
                                 event.arguments.data(),
                                 it.first,
                                 size_t(it.last - it.first)))
                        lost = true;
                if(!done.empty())
                    executed(event.kernel->name);
            }
            else if(!event.kernel)
                for(const Written& it : left)
                    if(event.range.first < it.last && it.first < event.range.last)
                        done.push_back({event.range.first > it.first ? event.range.first : it.first,
                                        event.range.last < it.last ? event.range.last : it.last,
                                        event.range.known});
            for(Written it : done)
            {
                it.known = it.known && !lost && !overwritten(region, it, event.when);
                take_from(left, it);
                found.push_back(it);
            }
        }
        found.insert(found.end(), left.begin(), left.end());
        bool known = true;
        for(const Written& it : found)
        {
            known = known && it.known;
            if(tried) // nobody has to ask these kernels again for these bytes
                wrote(it.first, size_t(it.last - it.first), it.known);
            if(to)
                wrote((char*)to + (it.first - first), size_t(it.last - it.first), it.known);
        }
        return known;
    }

    const std::set<std::string>& wanted()
    {
        return asked;
    }

    void want_nothing()
    {
        asked.clear();
    }

    void forget_writers()
    {
        events.clear();
        open.clear();
        unknown.clear();
    }
}

// --- what the worker calls --------------------------------------------------------------------

extern "C" {

/// Who tells of a kernel's arguments when it is first launched, and who carries out closed effects.
void rq_writers(trace::Describe describe, trace::CarryOut carry_out)
{
    trace::describe  = describe;
    trace::carry_out = carry_out;
}

/// For each argument of a kernel a letter: w where it may lead to memory that the kernel writes.
void rq_described(const char* kernel, const char* leads)
{
    for(auto& it : trace::kernels())
        if(it.second.name == kernel)
        {
            it.second.described = true;
            it.second.leads     = leads;
        }
}

/// What is known of a kernel's effect; of a closed one the bytes of each argument.
void rq_effect(const char* kernel, int effect, const uint32_t* sizes, size_t count)
{
    for(auto& it : trace::kernels())
        if(it.second.name == kernel)
        {
            it.second.effect = trace::Effect(effect);
            it.second.sizes.assign(sizes, sizes + count);
        }
}

/// Some of the bytes that an effect is carried out for were written.
void rq_carried_out(char* from, size_t bytes)
{
    trace::dirtied(from, bytes);
    trace::done.push_back({from, from + bytes, true});
}

/// Whether bytes of device memory are what a real run would have there.
int rq_knows(const void* from, size_t bytes)
{
    return trace::settle(from, bytes);
}
}
