// Which functions are wanted, and their statements.
#include "bodies.hpp"

namespace rq {

std::vector<CXCursor> children_of(const CXCursor& c)
{
    std::vector<CXCursor> kids;
    clang_visitChildren(
        c,
        [](CXCursor k, CXCursor, CXClientData d) -> int {
            static_cast<std::vector<CXCursor>*>(d)->push_back(k);
            return VisitContinue;
        },
        &kids);
    return kids;
}

static bool is_function(int kind)
{
    return kind == K_Function || kind == K_Method || kind == K_Constructor || kind == K_Destructor
           || kind == K_Conversion;
}

std::string Bodies::symbol_of(const CXCursor& c)
{
    CXCursor canonical = clang_getCanonicalCursor(c);
    auto     it        = symbols_.find(canonical.data[0]);
    if(it == symbols_.end())
    {
        CXCursor def = clang_getCursorDefinition(c);
        if(clang_Cursor_isNull(def) || !is_function(def.kind))
            def = c;
        it = symbols_.emplace(canonical.data[0], take(clang_Cursor_getMangling(def))).first;
    }
    return it->second;
}

void Bodies::root(CXCursor c)
{
    if(!is_function(c.kind))
        return;
    CXCursor canonical = clang_getCanonicalCursor(c);
    if(!seen_.insert(canonical.data[0]).second)
        return;
    CXCursor def = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(def) || !is_function(def.kind))
    {
        seen_.erase(canonical.data[0]); // the definition may still come
        return;
    }
    // Others of the project are walked for what they call: an inline function may be needed behind one.
    CXFile   f = nullptr;
    unsigned line, column, offset;
    clang_getExpansionLocation(clang_getCursorLocation(def), &f, &line, &column, &offset);
    int file = files_.index_of(f);
    if(file >= 0 && files_[file].project)
        work_.push_back(def);
}

int Bodies::number_of(const CXCursor& declaration)
{
    const void* key = clang_getCanonicalCursor(declaration).data[0];
    return numbers_.emplace(key, int(numbers_.size())).first->second;
}

void Bodies::place(const CXCursor& c)
{
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile        f = nullptr, g = nullptr;
    unsigned      line = 0, end = 0, column, offset;
    clang_getExpansionLocation(clang_getRangeStart(r), &f, &line, &column, &offset);
    clang_getExpansionLocation(clang_getRangeEnd(r), &g, &end, &column, &offset);
    if(f != g || end < line)
        end = line;
    out_ += std::to_string(line) + ',' + std::to_string(end);
}

void Bodies::head(const char* tag, const CXCursor& c)
{
    out_ += "[\"";
    out_ += tag;
    out_ += "\",";
    place(c);
}

void Bodies::function(const CXCursor& c)
{
    CXFile   f = nullptr;
    unsigned line, column, offset;
    out_.clear();
    numbers_.clear(); // equal functions of different units are equal text
    clang_getExpansionLocation(clang_getCursorLocation(c), &f, &line, &column, &offset);
    int file = files_.index_of(f);
    out_ += "{\"symbol\":";
    json_string(out_, symbol_of(c));
    out_ += ",\"name\":";
    json_string(out_, take(clang_getCursorSpelling(c)));
    out_ += ",\"file\":";
    json_string(out_, file >= 0 ? files_[file].name : "");
    out_ += ",\"place\":[";
    place(c);
    out_ += "],\"result\":";
    json_string(out_, type_code(clang_getResultType(clang_getCursorType(c))));
    out_ += ",\"parameters\":[";
    int n = clang_Cursor_getNumArguments(c);
    for(int i = 0; i < n; ++i)
    {
        CXCursor p = clang_Cursor_getArgument(c, unsigned(i));
        CXType   t = clang_getCursorType(p);
        out_ += i ? ",[" : "[";
        out_ += std::to_string(number_of(p)) + ',';
        json_string(out_, take(clang_getCursorSpelling(p)));
        out_ += ',';
        json_string(out_, type_code(t));
        out_ += ',';
        json_string(out_, take(clang_getTypeSpelling(t)));
        out_ += ']';
    }
    out_ += "],\"body\":[";
    bool first = true;
    for(const CXCursor& k : children_of(c))
        if(clang_isStatement(k.kind))
        {
            if(!first)
                out_ += ',';
            first = false;
            statement(k);
        }
    out_ += "]}\n";
    if(wanted_.count(symbol_of(c)))
        text += out_;
}

void Bodies::statements(const std::vector<CXCursor>& kids)
{
    out_ += '[';
    for(size_t i = 0; i < kids.size(); ++i)
    {
        if(i)
            out_ += ',';
        statement(kids[i]);
    }
    out_ += ']';
}

void Bodies::variable(const CXCursor& c)
{
    CXType   t    = clang_getCursorType(c);
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);
    head("var", c);
    out_ += ',' + std::to_string(number_of(c)) + ',';
    json_string(out_, take(clang_getCursorSpelling(c)));
    out_ += ',';
    json_string(out_, type_code(t));
    out_ += ',';
    if(clang_Cursor_isNull(init))
        out_ += "null";
    else
        expression(init);
    out_ += ']';
}

// Only what is written of `for(a; b; c)` is visited; the kinds say which part it is.
void Bodies::for_loop(const CXCursor& c)
{
    std::vector<CXCursor> kids = children_of(c);
    CXCursor              body = kids.empty() ? clang_getNullCursor() : kids.back();
    CXCursor              parts[3] = {clang_getNullCursor(), clang_getNullCursor(), clang_getNullCursor()};
    if(!kids.empty())
        kids.pop_back();
    if(kids.size() >= 3)
        parts[0] = kids[0], parts[1] = kids[kids.size() - 2], parts[2] = kids.back();
    else
        for(const CXCursor& k : kids)
        {
            std::string type = type_code(clang_getCursorType(k));
            int         op   = k.kind == K_Binary ? clang_getCursorBinaryOperatorKind(k) : 0;
            if(k.kind == K_DeclStmt || (op == 22 && clang_Cursor_isNull(parts[1])))
                parts[0] = k;
            else if(type == "b")
                parts[1] = k;
            else
                parts[2] = k;
        }
    head("for", c);
    for(const CXCursor& p : parts)
    {
        out_ += ',';
        if(clang_Cursor_isNull(p))
            out_ += "null";
        else
            statement(p);
    }
    out_ += ',';
    if(clang_Cursor_isNull(body))
        out_ += "null";
    else
        statement(body);
    out_ += ']';
}

void Bodies::statement(const CXCursor& c)
{
    std::vector<CXCursor> kids;
    switch(c.kind)
    {
    case K_Compound:
        head("{", c);
        out_ += ',';
        statements(children_of(c));
        out_ += ']';
        return;
    case K_If:
    {
        kids = children_of(c);
        size_t i = 0;
        head("if", c);
        out_ += ",[";
        while(i < kids.size() && (kids[i].kind == K_DeclStmt || kids[i].kind == K_Var))
        {
            if(i)
                out_ += ',';
            statement(kids[i++]);
        }
        out_ += ']';
        for(size_t k = 0; k < 3; ++k)
        {
            out_ += ',';
            if(i + k < kids.size())
                k ? statement(kids[i + k]) : expression(kids[i + k]);
            else
                out_ += "null";
        }
        out_ += ']';
        return;
    }
    case K_For: for_loop(c); return;
    case K_While:
    case K_Do:
    case K_Switch:
    {
        kids = children_of(c);
        head(c.kind == K_While ? "while" : c.kind == K_Do ? "do" : "switch", c);
        bool body_first = c.kind == K_Do;
        out_ += ',';
        if(kids.size() >= 2)
        {
            expression(body_first ? kids[1] : kids[kids.size() - 2]);
            out_ += ',';
            statement(body_first ? kids[0] : kids.back());
        }
        else
            out_ += "null,null";
        out_ += ']';
        return;
    }
    case K_Case:
    case K_Default:
    {
        kids = children_of(c);
        head(c.kind == K_Case ? "case" : "default", c);
        out_ += ",[";
        for(size_t i = 0; i + 1 < kids.size(); ++i)
        {
            if(i)
                out_ += ',';
            expression(kids[i]);
        }
        out_ += "],";
        if(kids.empty())
            out_ += "null";
        else
            statement(kids.back());
        out_ += ']';
        return;
    }
    case K_Return:
        kids = children_of(c);
        head("return", c);
        out_ += ',';
        if(kids.empty())
            out_ += "null";
        else
            expression(kids[0]);
        out_ += ']';
        return;
    case K_Throw:
    case K_Goto:
    case K_Break:
    case K_Continue:
        head(c.kind == K_Throw ? "throw" : c.kind == K_Goto ? "goto" : c.kind == K_Break ? "break" : "continue", c);
        out_ += ']';
        return;
    case K_Var: variable(c); return;
    case K_DeclStmt:
        head("{", c);
        kids.clear();
        for(const CXCursor& k : children_of(c))
            if(k.kind == K_Var)
                kids.push_back(k);
        out_ += ',';
        statements(kids);
        out_ += ']';
        return;
    case K_Try:
    case K_ForRange:
    case K_Label:
        kids = children_of(c);
        head(c.kind == K_Try ? "try" : c.kind == K_Label ? "label" : "range", c);
        out_ += ',';
        statements(kids);
        out_ += ']';
        return;
    case K_Catch: head("catch", c); out_ += ']'; return;
    default:
        if(clang_isStatement(c.kind))
        {
            head("other", c);
            out_ += ',';
            statements(children_of(c));
            out_ += ']';
        }
        else if(c.kind == K_Unexposed && children_of(c).size() == 1)
            statement(children_of(c)[0]);
        else if(c.kind == K_Throw)
        {
            head("throw", c);
            out_ += ']';
        }
        else
        {
            head("expr", c);
            out_ += ',';
            expression(c);
            out_ += ']';
        }
    }
}

void Bodies::collect(CXIndex index)
{
    IndexerCallbacks callbacks = {};
    callbacks.declaration      = [](CXClientData d, const CXIdxDeclInfo* i) {
        if(i->is_definition)
            static_cast<Bodies*>(d)->root(i->cursor);
    };
    callbacks.reference = [](CXClientData d, const CXIdxEntityRefInfo* i) {
        if(i->container)
            static_cast<Bodies*>(d)->root(i->container->cursor);
    };
    CXIndexAction action = clang_IndexAction_create(index);
    // Option 4: index implicit template instantiations.
    clang_indexTranslationUnit(action, this, &callbacks, sizeof callbacks, 4, tu_);
    clang_IndexAction_dispose(action);
    while(!work_.empty())
    {
        CXCursor c = work_.back();
        work_.pop_back();
        function(c);
    }
}

} // namespace rq

extern "C" {

struct BodiesResult
{
    std::string text, errors;
};

void* rq_bodies(const char* path, const char* const* arguments, int count, const char* root,
                const char* const* wanted, int wanted_count)
{
    BodiesResult*     r     = new BodiesResult;
    CXIndex           index = clang_createIndex(0, 0);
    CXTranslationUnit tu    = nullptr;
    int code = clang_parseTranslationUnit2(index, path, arguments, count, nullptr, 0, 0x200 /* keep going */, &tu);
    if(!tu)
        r->errors = "libclang could not start on the file (code " + std::to_string(code) + ")\n";
    else
    {
        unsigned n = clang_getNumDiagnostics(tu);
        for(unsigned i = 0; i < n; ++i)
        {
            CXDiagnostic d = clang_getDiagnostic(tu, i);
            if(clang_getDiagnosticSeverity(d) >= 3)
                r->errors += rq::take(clang_formatDiagnostic(d, 1)) + '\n';
            clang_disposeDiagnostic(d);
        }
        std::unordered_set<std::string> names;
        for(int i = 0; i < wanted_count; ++i)
            names.insert(wanted[i]);
        {
            rq::Bodies bodies(tu, root, std::move(names));
            bodies.collect(index);
            r->text = std::move(bodies.text);
        }
        clang_disposeTranslationUnit(tu);
    }
    clang_disposeIndex(index);
    return r;
}

const char* rq_bodies_text(void* handle)
{
    return static_cast<BodiesResult*>(handle)->text.c_str();
}
const char* rq_bodies_errors(void* handle)
{
    return static_cast<BodiesResult*>(handle)->errors.c_str();
}
void rq_bodies_free(void* handle)
{
    delete static_cast<BodiesResult*>(handle);
}
}
