// A unit's graph as JSON, one line a function, and the C entry points that Python calls.
#include "unit.hpp"

#include <cstdlib>

namespace rq {

// libclang spells unnamed classes with the path of their file, which differs between machines.
static std::string portable(std::string name)
{
    if(name.empty() || name.find("(anonymous") != std::string::npos || name.find("(unnamed") != std::string::npos)
        return "(anonymous)";
    if(name.find("(lambda") != std::string::npos)
        return "{lambda}";
    return name;
}

std::string Unit::qualified_name(const CXCursor& c)
{
    std::string name = portable(take(clang_getCursorSpelling(c)));
    for(CXCursor p = clang_getCursorSemanticParent(c); !clang_Cursor_isNull(p) && p.kind != K_TranslationUnit
                                                       && p.kind > 0 && p.kind < 400;
        p          = clang_getCursorSemanticParent(p))
    {
        if(p.kind == K_LinkageSpec)
            continue;
        std::string part = portable(take(clang_getCursorSpelling(p)));
        name = part + "::" + name;
    }
    return name;
}

// Another library's function, to be named where the project calls it; the standard library is not worth naming.
static bool outside(const Function& f)
{
    if(f.flags & (F_Defined | F_Variable))
        return false;
    for(const char* prefix : {"_ZSt", "_ZNSt", "_ZNKSt", "__builtin", "__hipPushCall", "__hipPopCall"})
        if(f.mangled.compare(0, std::strlen(prefix), prefix) == 0)
            return false;
    return true;
}

static void number(std::string& out, unsigned long long n)
{
    out += std::to_string(n);
}

// A function's record stands alone, so that equal functions of different units are equal bytes: files and
// reasons are numbered within the record.
struct LocalTable
{
    std::vector<int> items;
    int              index_of(int global)
    {
        for(size_t i = 0; i < items.size(); ++i)
            if(items[i] == global)
                return int(i);
        items.push_back(global);
        return int(items.size()) - 1;
    }
};

static void site(std::string& out, const Site& s, LocalTable& local)
{
    out += std::to_string(s.file < 0 ? -1 : local.index_of(s.file)) + ',' + std::to_string(s.line) + ',' + std::to_string(s.end_line) + ','
           + std::to_string(s.begin) + ',' + std::to_string(s.end);
}

// What the compiler would emit for this unit: everything reachable from functions with a body of their own,
// from explicit instantiations and from the main file's variables. An unused inline function of a header is
// not part of the unit, whether or not a precompiled header hides it from the index.
std::vector<char> Unit::emitted()
{
    size_t n     = functions_.size();
    auto   close = [&](std::vector<char>& set) {
        std::vector<int> stack;
        for(size_t i = 0; i < n; ++i)
            if(set[i])
                stack.push_back(int(i));
        while(!stack.empty())
        {
            int f = stack.back();
            stack.pop_back();
            for(const Edge& e : functions_[size_t(f)].edges)
                if(!set[size_t(e.callee)])
                {
                    set[size_t(e.callee)] = 1;
                    stack.push_back(e.callee);
                }
        }
    };
    std::vector<char> roots(n, 0), inline_only(n, 0);
    for(size_t i = 0; i < n; ++i)
    {
        const Function& f = functions_[i];
        if(f.flags & F_Variable)
            roots[i] = f.extent.file == main_file_;
        else if(!(f.flags & F_Seen) || (f.flags & F_Instantiation))
            continue;
        else if(!(f.flags & (F_Inline | F_Internal)))
            roots[i] = 1;
        else
            inline_only[i] = 1;
    }
    close(inline_only);
    for(size_t i = 0; i < n; ++i)
    {
        const Function& f = functions_[i];
        if((f.flags & F_Seen) && (f.flags & F_Instantiation) && !inline_only[i])
            roots[i] = 1;
    }
    close(roots);
    if(device_)
    {
        std::vector<char> kernels(n, 0);
        for(size_t i = 0; i < n; ++i)
            kernels[i] = roots[i] && (functions_[i].flags & F_Kernel);
        close(kernels);
        return kernels;
    }
    return roots;
}

std::string Unit::to_json()
{
    size_t            n = functions_.size();
    std::vector<char> keep = emitted();
    // Of what is emitted, keep what the project defines, every kernel, and any outside function that leads
    // back into either; on the device side, only what a kernel reaches.
    std::vector<std::vector<int>> callers(n);
    std::vector<char>             relevant(n, 0);
    std::vector<int>              stack;
    for(size_t i = 0; i < n; ++i)
    {
        const Function& f = functions_[i];
        if(keep[i])
            for(const Edge& e : f.edges)
                callers[size_t(e.callee)].push_back(int(i));
        if(keep[i] && ((f.flags & F_Kernel) || ((f.flags & F_Project) && !(f.flags & F_Variable))))
        {
            relevant[i] = 1;
            stack.push_back(int(i));
        }
    }
    while(!stack.empty())
    {
        int f = stack.back();
        stack.pop_back();
        for(int c : callers[size_t(f)])
            if(!relevant[size_t(c)])
            {
                relevant[size_t(c)] = 1;
                stack.push_back(c);
            }
    }
    for(size_t i = 0; i < n; ++i)
        keep[i] = keep[i] && relevant[i];
    std::string out;
    for(size_t i = 0; i < n; ++i)
    {
        const Function& f = functions_[i];
        // An outside function with no body here is a boundary when the project calls it.
        bool boundary = !keep[i] && outside(f);
        if(!keep[i])
        {
            bool called = false;
            if(boundary)
                for(int c : callers[i])
                    called = called || (keep[size_t(c)] && (functions_[size_t(c)].flags & F_Project));
            if(!called)
                continue;
        }
        LocalTable local_files, local_reasons;
        out += "{\"i\":";
        number(out, f.id);
        out += ",\"m\":";
        json_string(out, f.mangled);
        out += ",\"k\":";
        number(out, f.flags & ~unsigned(F_Seen));
        out += ",\"n\":";
        json_string(out, portable(take(clang_getCursorSpelling(f.cursor))));
        out += ",\"q\":";
        json_string(out, qualified_name(f.cursor));
        if(f.flags & F_Project)
        {
            out += ",\"u\":";
            json_string(out, take(clang_getCursorUSR(f.cursor)));
        }
        out += ",\"s\":[";
        site(out, f.extent, local_files);
        out += "],\"b\":";
        number(out, f.body);
        out += ",\"e\":[";
        bool first = true;
        for(const Edge& e : f.edges)
        {
            const Function& g = functions_[size_t(e.callee)];
            bool to_boundary  = outside(g) && (f.flags & F_Project);
            if(!keep[size_t(e.callee)] && !to_boundary)
                continue;
            if(!first)
                out += ',';
            first = false;
            out += '[';
            number(out, g.id);
            out += ",\"";
            out += char(e.kind);
            out += "\",";
            site(out, e.site, local_files);
            out += ',' + std::to_string(e.dead ? local_reasons.index_of(e.dead) + 1 : 0) + ',' + std::to_string(e.nth) + ']';
        }
        out += "],\"x\":[";
        for(size_t k = 0; k < f.indirect.size(); ++k)
        {
            if(k)
                out += ',';
            out += '[';
            site(out, f.indirect[k].first, local_files);
            int dead = f.indirect[k].second;
            out += ',' + std::to_string(dead ? local_reasons.index_of(dead) + 1 : 0) + ']';
        }
        out += "],\"f\":[";
        for(size_t k = 0; k < local_files.items.size(); ++k)
        {
            if(k)
                out += ',';
            json_string(out, files[local_files.items[k]].name);
        }
        out += "],\"d\":[";
        for(size_t k = 0; k < local_reasons.items.size(); ++k)
        {
            if(k)
                out += ',';
            json_string(out, reasons[size_t(local_reasons.items[k])]);
        }
        out += "]}\n";
    }
    return out;
}

} // namespace rq

namespace {
struct Result
{
    std::string text;
    std::string errors;
};

CXTranslationUnit parse(CXIndex index, const char* path, const char* const* arguments, int count, unsigned options,
                        std::string& errors)
{
    CXTranslationUnit tu = nullptr;
    int code = clang_parseTranslationUnit2(index, path, arguments, count, nullptr, 0, options, &tu);
    if(!tu)
    {
        errors = "libclang could not start on the file (code " + std::to_string(code) + ")\n";
        return nullptr;
    }
    unsigned n = clang_getNumDiagnostics(tu);
    for(unsigned i = 0; i < n; ++i)
    {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        if(clang_getDiagnosticSeverity(d) >= 3)
            errors += rq::take(clang_formatDiagnostic(d, 1)) + '\n';
        clang_disposeDiagnostic(d);
    }
    return tu;
}
}

extern "C" {

// Indexes one unit. Returns a handle to read with rq_text and rq_errors and to free with rq_free.
void* rq_index(const char* path, const char* const* arguments, int count, const char* root, int device)
{
    Result*           r     = new Result;
    CXIndex           index = clang_createIndex(0, 0);
    // 0x40: skip what only code completion wants; bodies are always parsed.
    CXTranslationUnit tu = parse(index, path, arguments, count, 0x200 /* keep going */, r->errors);
    if(tu)
    {
        {
            rq::Unit unit(tu, root, device != 0);
            unit.collect(index);
            r->text = unit.to_json();
        }
        clang_disposeTranslationUnit(tu);
    }
    clang_disposeIndex(index);
    return r;
}

// Makes a precompiled header; returns a handle whose text is empty and whose errors say what failed.
void* rq_precompile(const char* path, const char* const* arguments, int count, const char* out)
{
    Result*           r     = new Result;
    CXIndex           index = clang_createIndex(0, 0);
    CXTranslationUnit tu    = parse(index, path, arguments, count, 0x4 /* incomplete */ | 0x10 /* for serialization */, r->errors);
    if(tu)
    {
        if(r->errors.empty() && clang_saveTranslationUnit(tu, out, 0) != 0)
            r->errors = "libclang could not write the precompiled header\n";
        clang_disposeTranslationUnit(tu);
    }
    clang_disposeIndex(index);
    return r;
}

const char* rq_text(void* handle)
{
    return static_cast<Result*>(handle)->text.c_str();
}
const char* rq_errors(void* handle)
{
    return static_cast<Result*>(handle)->errors.c_str();
}
void rq_free(void* handle)
{
    delete static_cast<Result*>(handle);
}
}
