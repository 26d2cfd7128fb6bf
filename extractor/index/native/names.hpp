// Names that outlive one translation unit: file table, symbol hashes, JSON text.
#pragma once

#include "libclang_api.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace rq {

inline std::string take(CXString s)
{
    const char* c = clang_getCString(s);
    std::string r = c ? c : "";
    clang_disposeString(s);
    return r;
}

// MurmurHash64A (Austin Appleby, public domain), kept to 63 bits so that SQLite stores it as an integer.
inline uint64_t hash63(const std::string& text)
{
    const uint64_t m = 0xc6a4a7935bd1e995ull;
    const int r = 47;
    const size_t n = text.size();
    uint64_t h = 0x9747b28c5bd1e995ull ^ (n * m);
    const unsigned char* p = reinterpret_cast<const unsigned char*>(text.data());
    const unsigned char* end = p + (n / 8) * 8;
    for(; p != end; p += 8)
    {
        uint64_t k;
        std::memcpy(&k, p, 8);
        k *= m;
        k ^= k >> r;
        k *= m;
        h = (h ^ k) * m;
    }
    uint64_t tail = 0;
    std::memcpy(&tail, p, n & 7);
    if(n & 7)
        h = (h ^ tail) * m;
    h ^= h >> r;
    h *= m;
    h ^= h >> r;
    return h & 0x7fffffffffffffffull;
}

inline void json_string(std::string& out, const std::string& s)
{
    out += '"';
    for(unsigned char c : s)
    {
        if(c == '"' || c == '\\')
        {
            out += '\\';
            out += char(c);
        }
        else if(c < 0x20)
        {
            char b[8];
            std::snprintf(b, sizeof b, "\\u%04x", c);
            out += b;
        }
        else
            out += char(c);
    }
    out += '"';
}

// `a/../b` and `a/./b` name the same file as `b`; one spelling is kept.
inline std::string normal_path(const std::string& p)
{
    std::vector<std::string> parts;
    bool absolute = !p.empty() && p[0] == '/';
    size_t i = 0;
    while(i <= p.size())
    {
        size_t j = p.find('/', i);
        if(j == std::string::npos)
            j = p.size();
        std::string part = p.substr(i, j - i);
        if(part == ".." && !parts.empty() && parts.back() != "..")
            parts.pop_back();
        else if(!part.empty() && part != ".")
            parts.push_back(part);
        i = j + 1;
    }
    std::string r;
    for(size_t k = 0; k < parts.size(); ++k)
        r += (k || absolute ? "/" : "") + parts[k];
    return r;
}

struct File
{
    std::string name;    // relative to the tree's root, or the absolute path elsewhere
    bool        project; // below the tree's root
};

class FileTable
{
public:
    explicit FileTable(std::string root)
        : root_(normal_path(root) + "/")
    {
    }
    int index_of(CXFile f)
    {
        if(!f)
            return -1;
        auto it = by_handle_.find(f);
        if(it != by_handle_.end())
            return it->second;
        std::string path = normal_path(take(clang_getFileName(f)));
        bool        in   = path.compare(0, root_.size(), root_) == 0;
        if(in)
            path = path.substr(root_.size());
        auto named = by_name_.find(path);
        int  id;
        if(named != by_name_.end())
            id = named->second;
        else
        {
            id = int(files_.size());
            files_.push_back({path, in});
            by_name_[path] = id;
        }
        by_handle_[f] = id;
        return id;
    }
    const File& operator[](int i) const
    {
        return files_[size_t(i)];
    }
    size_t size() const
    {
        return files_.size();
    }
    std::string path_of(int i) const
    {
        const File& f = files_[size_t(i)];
        return f.project ? root_ + f.name : f.name;
    }

private:
    std::string                          root_;
    std::vector<File>                    files_;
    std::unordered_map<void*, int>       by_handle_;
    std::unordered_map<std::string, int> by_name_;
};

// Lines from 1; byte offsets into the file, end exclusive.
struct Site
{
    int      file     = -1;
    unsigned line     = 0;
    unsigned end_line = 0;
    unsigned begin    = 0;
    unsigned end      = 0;
};

} // namespace rq
