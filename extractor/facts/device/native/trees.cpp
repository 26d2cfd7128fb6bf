// Syntax trees of chosen kernels and of the device functions they call, one JSON object a line.
//
// A node is [kind, type, file, line, column, end_line, begin, end, extra, children]: kind as libclang numbers it,
// type an index into the unit's table, places as the source has them (a macro's use, not its text).
#include "trees.hpp"

#include <cctype>

namespace rqf {

std::string Trees::text_of(const Place& p)
{
    if(p.file < 0 || p.end <= p.begin)
        return "";
    auto it = texts_.find(p.file);
    if(it == texts_.end())
    {
        std::string text;
        if(FILE* f = std::fopen(files_.path_of(p.file).c_str(), "rb"))
        {
            char   b[65536];
            size_t n;
            while((n = std::fread(b, 1, sizeof b, f)) > 0)
                text.append(b, n);
            std::fclose(f);
        }
        it = texts_.emplace(p.file, std::move(text)).first;
    }
    return p.end > it->second.size() ? "" : it->second.substr(p.begin, p.end - p.begin);
}

std::string Trees::spelled(const CXCursor& c)
{
    Place    p;
    CXFile   f = nullptr;
    unsigned column;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &f, &p.line, &column, &p.begin);
    p.file            = files_.index_of(f);
    p.end             = p.begin + 1;
    std::string first = text_of(p);
    const auto& all   = texts_[p.file];
    size_t      end   = p.begin;
    while(end < all.size() && (std::isalnum(static_cast<unsigned char>(all[end])) || all[end] == '_' || all[end] == '.'))
        ++end;
    return first.empty() ? first : all.substr(p.begin, end - p.begin);
}

Place Trees::place_of(const CXCursor& c)
{
    Place         s;
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile        f = nullptr, g = nullptr;
    unsigned      column;
    clang_getExpansionLocation(clang_getRangeStart(r), &f, &s.line, &s.column, &s.begin);
    clang_getExpansionLocation(clang_getRangeEnd(r), &g, &s.end_line, &column, &s.end);
    // An argument of a macro stands in the file as it is.
    CXFile   f2 = nullptr, g2 = nullptr;
    unsigned line2, column2, begin2, end_line2, end2;
    clang_getFileLocation(clang_getRangeStart(r), &f2, &line2, &column2, &begin2);
    clang_getFileLocation(clang_getRangeEnd(r), &g2, &end_line2, &column, &end2);
    if(f2 == g2 && f2 && end2 > begin2 && (f != g || s.end <= s.begin || end2 - begin2 < s.end - s.begin))
    {
        f = f2, g = g2;
        s.line = line2, s.column = column2, s.begin = begin2, s.end_line = end_line2, s.end = end2;
    }
    s.file = files_.index_of(f);
    if(f != g)
    {
        s.end_line = s.line;
        s.end      = s.begin;
    }
    return s;
}

int Trees::type_id(CXType type)
{
    type             = clang_getCanonicalType(type);
    std::string name = rq::take(clang_getTypeSpelling(type));
    auto        it   = type_ids_.find(name);
    if(it != type_ids_.end())
        return it->second;
    int id          = int(types_.size());
    type_ids_[name] = id;
    types_.push_back({});
    Type t;
    t.name     = name;
    t.kind     = type.kind;
    // libclang cannot size its own placeholders, such as that of a property.
    if(type.kind > 1 && type.kind != 25 && type.kind != 26)
        t.size = clang_Type_getSizeOf(type);
    t.constant = clang_isConstQualifiedType(type) != 0;
    CXType inner = clang_getPointeeType(type);
    if(inner.kind == 0)
        inner = clang_getArrayElementType(type), t.count = clang_getArraySize(type);
    if(inner.kind != 0)
        t.inner = type_id(inner);
    types_[size_t(id)] = t;
    return id;
}

int Trees::decl_id(const CXCursor& c)
{
    const void* key = clang_getCanonicalCursor(c).data[0];
    auto        it  = decls_.find(key);
    if(it != decls_.end())
        return it->second;
    int id = int(decls_.size());
    return decls_[key] = id;
}

bool Trees::constant(const CXCursor& c, long long& value)
{
    // Only integers and enumerators: libclang cannot evaluate every object.
    int kind = clang_getCanonicalType(clang_getCursorType(c)).kind;
    if(!(kind >= 3 && kind <= 20) && kind != 106)
        return false;
    CXEvalResult r = clang_Cursor_Evaluate(c);
    if(!r)
        return false;
    bool integer = clang_EvalResult_getKind(r) == 1;
    if(integer)
        value = clang_EvalResult_getAsLongLong(r);
    clang_EvalResult_dispose(r);
    return integer;
}

static std::string pieces(const std::vector<std::string>& parts)
{
    std::string out = "[";
    for(size_t i = 0; i < parts.size(); ++i)
        out += (i ? "," : "") + parts[i];
    return out + ']';
}

static std::string quoted(const std::string& text)
{
    std::string out;
    rq::json_string(out, text);
    return out;
}

// The callee of a call, also behind parentheses and conversions.
static CXCursor callee_of(const CXCursor& call, const std::vector<CXCursor>& kids)
{
    CXCursor callee = clang_getCursorReferenced(call);
    if(!clang_Cursor_isNull(callee) && is_function(callee.kind))
        return callee;
    CXCursor k = kids.empty() ? clang_getNullCursor() : kids[0];
    while(k.kind == K_Unexposed || k.kind == K_Paren || k.kind == K_Unary)
    {
        std::vector<CXCursor> inner = children_of(k);
        if(inner.size() != 1)
            break;
        k = inner[0];
    }
    if(k.kind == K_DeclRef || k.kind == K_MemberRefExpr)
    {
        CXCursor target = clang_getCursorReferenced(k);
        if(!clang_Cursor_isNull(target) && is_function(target.kind))
            return target;
    }
    return callee;
}

std::string Trees::call_extra(const CXCursor& c, const std::vector<CXCursor>& kids, std::vector<std::string>& out)
{
    CXCursor    callee = callee_of(c, kids);
    std::string extra  = "null";
    if(!clang_Cursor_isNull(callee) && is_function(callee.kind))
    {
        CXCursor    definition = clang_getCursorDefinition(callee);
        bool        here       = !clang_Cursor_isNull(definition) && is_function(definition.kind);
        CXCursor    f          = here ? definition : callee;
        std::string name       = rq::take(clang_getCursorSpelling(f));
        int         target     = -1;
        bool        overloaded = name.compare(0, 8, "operator") == 0 && name != "operator()";
        if(here && !overloaded && f.kind != K_Constructor && f.kind != K_Destructor)
        {
            Place at = place_of(f);
            if(at.file >= 0 && files_[at.file].project)
                target = request(f);
        }
        CXCursor parent = clang_getCursorSemanticParent(f);
        extra = "[" + std::to_string(target) + ',' + quoted(name) + ',' + std::to_string(f.kind) + ','
                + std::to_string(type_id(clang_getResultType(clang_getCursorType(f)))) + ','
                + quoted(rq::take(clang_getCursorSpelling(parent))) + ',' + std::to_string(int(clang_CXXMethod_isConst(f))) + ",[";
        int n = clang_Cursor_getNumArguments(f);
        for(int i = 0; i < n; ++i)
            extra += (i ? "," : "") + std::to_string(type_id(clang_getCursorType(clang_Cursor_getArgument(f, unsigned(i)))));
        extra += "],";
        // The explicit template arguments stand in the callee's text.
        extra += quoted(kids.empty() ? "" : text_of(place_of(kids[0]))) + "]";
    }
    int n = clang_Cursor_getNumArguments(c);
    for(int i = 0; i < n; ++i)
        out.push_back(node(clang_Cursor_getArgument(c, unsigned(i))));
    CXCursor k = kids.empty() ? clang_getNullCursor() : kids[0];
    while(k.kind == K_Unexposed || k.kind == K_Paren)
    {
        std::vector<CXCursor> inner = children_of(k);
        if(inner.size() != 1)
            break;
        k = inner[0];
    }
    if(k.kind == K_MemberRefExpr)
    {
        // The object of a member call comes last, marked by its own kind.
        for(const CXCursor& base : children_of(k))
            if(clang_isExpression(base.kind))
            {
                out.push_back("[-1,-1,-1,0,0,0,0,0,null,[" + node(base) + "]]");
                break;
            }
    }
    return extra;
}

std::string Trees::declared(const CXCursor& c, std::vector<std::string>& kids)
{
    bool shared = false;
    for(const CXCursor& k : children_of(c))
        shared = shared || k.kind == K_SharedAttr;
    CXCursor init = clang_Cursor_getVarDeclInitializer(c);
    bool     has  = !clang_Cursor_isNull(init);
    if(has)
        kids.push_back(node(init));
    // Sizes of an array, as they are written.
    std::vector<std::string> sizes;
    CXType                   type = clang_getCursorType(c);
    if(type.kind == 112 || type.kind == 114 || type.kind == 115 || shared)
        for(const CXCursor& k : children_of(c))
            if(clang_isExpression(k.kind) && !(has && clang_equalCursors(k, init)))
                sizes.push_back(node(k));
    return "[" + std::to_string(decl_id(c)) + ',' + quoted(rq::take(clang_getCursorSpelling(c))) + ','
           + std::to_string(int(shared)) + ',' + std::to_string(clang_Cursor_getStorageClass(c)) + ',' + pieces(sizes) + ','
           + quoted(rq::take(clang_getTypeSpelling(type))) + ']';
}

std::string Trees::node(const CXCursor& c)
{
    std::vector<CXCursor> kids = children_of(c);
    CXType                type = clang_getCursorType(c);
    // What changes neither the type nor the meaning is left out.
    if((c.kind == K_Unexposed || c.kind == K_Paren) && kids.size() == 1 && clang_isExpression(kids[0].kind))
        if(type_id(type) == type_id(clang_getCursorType(kids[0])))
            return node(kids[0]);
    Place                    at    = place_of(c);
    std::string              extra = "null";
    std::vector<std::string> out;
    long long                value = 0;
    bool                     plain = true;
    switch(c.kind)
    {
    case K_Call:
        extra = call_extra(c, kids, out);
        plain = false;
        break;
    case K_DeclRef:
    {
        CXCursor target = clang_getCursorReferenced(c);
        plain           = false;
        if(clang_Cursor_isNull(target))
        {
            // A template's constant: what stands for it is below, its name is in the text.
            bool known = constant(c, value) || (!kids.empty() && constant(kids[0], value));
            extra = "[-1," + quoted(text_of(at)) + ",0," + (known ? std::to_string(value) : "null") + ']';
            break;
        }
        bool function = is_function(target.kind);
        bool known    = !function && clang_isConstQualifiedType(clang_getCanonicalType(clang_getCursorType(target)))
                     && constant(c, value);
        if(target.kind == K_EnumConstant)
            known = constant(c, value);
        extra = "[" + std::to_string(decl_id(target)) + ',' + quoted(rq::take(clang_getCursorSpelling(target))) + ','
                + std::to_string(target.kind) + ',' + (known ? std::to_string(value) : "null") + ']';
        break;
    }
    case K_MemberRefExpr:
    {
        CXCursor target = clang_getCursorReferenced(c);
        if(clang_Cursor_isNull(target))
        {
            // A property, such as threadIdx.x; in a macro's text it stands where the macro is defined.
            std::string text = text_of(at);
            extra            = quoted(text.empty() ? spelled(c) : text);
            break;
        }
        bool known = target.kind == K_Var && constant(c, value);
        extra      = "[" + std::to_string(decl_id(target)) + ',' + quoted(rq::take(clang_getCursorSpelling(target))) + ','
                + std::to_string(target.kind) + ',' + (known ? std::to_string(value) : "null") + ']';
        break;
    }
    case K_Binary:
    case K_CompoundAssign: extra = std::to_string(clang_getCursorBinaryOperatorKind(c)); break;
    case K_Unary: extra = std::to_string(clang_getCursorUnaryOperatorKind(c)); break;
    case K_Integer:
    case K_Character:
    case K_Bool:
    case K_UnaryExpr:
        extra = constant(c, value) ? std::to_string(value) : "null";
        plain = false;
        if(c.kind == K_UnaryExpr)
            extra = "[" + extra + ',' + quoted(text_of(at)) + ']';
        break;
    case K_Floating: extra = quoted(text_of(at)); break;
    case K_Var:
        extra = declared(c, out);
        plain = false;
        break;
    case K_Lambda: plain = false; break; // its body is the call operator's
    case K_Unexposed:
        if(kids.empty())
        {
            // A default argument, or something else that stands nowhere in the text.
            extra = constant(c, value) ? std::to_string(value) : "null";
        }
        else if(kids.size() > 1 || !clang_isExpression(kids[0].kind))
            extra = quoted(text_of(at)); // perhaps a property of threadIdx
        break;
    case K_For:
        // The head tells which of its parts are there.
        if(!kids.empty())
        {
            Place head = at, body = place_of(kids.back());
            head.end   = body.begin;
            extra      = quoted(text_of(head));
        }
        break;
    case K_If:
        // Whether the branches are there, and whether the condition is a constant.
        {
            size_t i = 0;
            while(i < kids.size() && (kids[i].kind == K_DeclStmt || kids[i].kind == K_Var))
                ++i;
            bool known = i < kids.size() && constant(kids[i], value);
            extra      = known ? std::to_string(value) : "null";
        }
        break;
    default: break;
    }
    if(plain)
        for(const CXCursor& k : kids)
            if(k.kind != K_TypeRef && k.kind != K_TemplateRef && k.kind != K_NamespaceRef && !clang_isAttribute(k.kind))
                out.push_back(node(k));
    bool expression = clang_isExpression(c.kind) || c.kind == K_Var;
    return "[" + std::to_string(c.kind) + ',' + std::to_string(expression ? type_id(type) : -1) + ','
           + std::to_string(at.file) + ',' + std::to_string(at.line) + ',' + std::to_string(at.column) + ','
           + std::to_string(at.end_line) + ',' + std::to_string(at.begin) + ',' + std::to_string(at.end) + ',' + extra + ','
           + pieces(out) + ']';
}

int Trees::request(const CXCursor& f)
{
    const void* key = clang_getCanonicalCursor(f).data[0];
    auto        it  = functions_.find(key);
    if(it != functions_.end())
        return it->second;
    int id          = int(functions_.size());
    functions_[key] = id;
    work_.push_back({id, f});
    return id;
}

std::string Trees::function(int id, const CXCursor& f)
{
    std::vector<std::string> parameters, bodies, constants;
    std::vector<bool>        truths; // whose value has one bit, so that the sign of it says nothing
    for(const CXCursor& k : children_of(f))
        if(k.kind == K_Parm)
            parameters.push_back("[" + std::to_string(decl_id(k)) + ',' + quoted(rq::take(clang_getCursorSpelling(k))) + ','
                                 + std::to_string(type_id(clang_getCursorType(k))) + ',' + quoted(text_of(place_of(k))) + ']');
        else if(clang_isStatement(k.kind))
            bodies.push_back(node(k));
    CXCursor pattern = clang_getSpecializedCursorTemplate(f);
    if(!clang_Cursor_isNull(pattern))
    {
        CXCursor source = clang_getCursorDefinition(pattern);
        for(const CXCursor& k : children_of(clang_Cursor_isNull(source) ? pattern : source))
            if(k.kind == K_TypeParameter || k.kind == K_ConstantParameter || k.kind == K_TemplateParameter)
            {
                truths.push_back(clang_getCanonicalType(clang_getCursorType(k)).kind == T_Bool);
                constants.push_back("[" + std::to_string(k.kind) + ',' + quoted(rq::take(clang_getCursorSpelling(k))) + ']');
            }
    }
    std::vector<std::string> arguments;
    int                      n = clang_Cursor_getNumTemplateArguments(f);
    for(int i = 0; i < n; ++i)
    {
        int kind = clang_Cursor_getTemplateArgumentKind(f, unsigned(i));
        if(kind == 1)
            arguments.push_back(quoted(rq::take(
                clang_getTypeSpelling(clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(f, unsigned(i)))))));
        else if(kind == 4)
        {
            long long value = clang_Cursor_getTemplateArgumentValue(f, unsigned(i));
            arguments.push_back(std::to_string(std::size_t(i) < truths.size() && truths[i] ? value != 0 : value));
        }
        else
            arguments.push_back("null");
    }
    Place at = place_of(f);
    return "{\"id\":" + std::to_string(id) + ",\"symbol\":" + quoted(rq::take(clang_Cursor_getMangling(f)))
           + ",\"name\":" + quoted(rq::take(clang_getCursorSpelling(f))) + ",\"file\":" + std::to_string(at.file)
           + ",\"line\":" + std::to_string(at.line) + ",\"end_line\":" + std::to_string(at.end_line)
           + ",\"result\":" + std::to_string(type_id(clang_getResultType(clang_getCursorType(f))))
           + ",\"parameters\":" + pieces(parameters) + ",\"template\":" + pieces(constants) + ",\"arguments\":"
           + pieces(arguments) + ",\"body\":" + pieces(bodies) + "}\n";
}

void Trees::meet(const CXCursor& c)
{
    if(clang_Cursor_isNull(c) || !is_function(c.kind))
        return;
    CXCursor f = clang_getCursorDefinition(c);
    if(clang_Cursor_isNull(f) || !is_function(f.kind))
        return;
    if(!met_.insert(clang_getCanonicalCursor(f).data[0]).second)
        return;
    bool device = false;
    for(const CXCursor& k : children_of(f))
        device = device || k.kind == K_GlobalAttr || k.kind == K_DeviceAttr;
    if(device && wanted_.count(rq::take(clang_Cursor_getMangling(f))))
        request(f);
}

std::string Trees::collect(CXIndex index, CXTranslationUnit tu)
{
    IndexerCallbacks callbacks = {};
    callbacks.declaration      = [](CXClientData d, const CXIdxDeclInfo* i) { static_cast<Trees*>(d)->meet(i->cursor); };
    callbacks.reference        = [](CXClientData d, const CXIdxEntityRefInfo* i) {
        Trees* t = static_cast<Trees*>(d);
        if(i->container)
            t->meet(i->container->cursor);
        if(i->cursor.kind == K_Call || i->cursor.kind == K_DeclRef)
            t->meet(clang_getCursorReferenced(i->cursor));
    };
    CXIndexAction action = clang_IndexAction_create(index);
    clang_indexTranslationUnit(action, this, &callbacks, sizeof callbacks, 4, tu); // 4: implicit instantiations too
    clang_IndexAction_dispose(action);
    std::string out;
    for(size_t i = 0; i < work_.size(); ++i)
    {
        std::pair<int, CXCursor> item = work_[i];
        out += function(item.first, item.second);
    }
    out += "{\"files\":[";
    for(size_t i = 0; i < files_.size(); ++i)
        out += (i ? "," : "") + quoted(files_[int(i)].name);
    out += "],\"types\":[";
    for(size_t i = 0; i < types_.size(); ++i)
        out += (i ? ",[" : "[") + quoted(types_[i].name) + ',' + std::to_string(types_[i].kind) + ','
               + std::to_string(types_[i].size) + ',' + std::to_string(types_[i].inner) + ','
               + std::to_string(types_[i].count) + ',' + std::to_string(int(types_[i].constant)) + ']';
    return out + "]}\n";
}

} // namespace rqf

namespace {
struct Result
{
    std::string text;
    std::string errors;
};
}

extern "C" {

// Trees of the functions with these symbols. Read with rqf_text and rqf_errors, free with rqf_free.
void* rqf_trees(const char* path, const char* const* arguments, int count, const char* root, const char* const* symbols,
                int wanted)
{
    Result*           r     = new Result;
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
        rqf::Trees trees(root, symbols, wanted);
        r->text = trees.collect(index, tu);
        clang_disposeTranslationUnit(tu);
    }
    clang_disposeIndex(index);
    return r;
}

const char* rqf_text(void* handle)
{
    return static_cast<Result*>(handle)->text.c_str();
}
const char* rqf_errors(void* handle)
{
    return static_cast<Result*>(handle)->errors.c_str();
}
void rqf_free(void* handle)
{
    delete static_cast<Result*>(handle);
}
}
