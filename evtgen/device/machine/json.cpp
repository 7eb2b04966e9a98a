#include "json.hpp"

#include <cinttypes>

namespace machine {

JsonWriter& JsonWriter::BeginObject(Layout layout) { return Begin('{', layout); }

JsonWriter& JsonWriter::EndObject() { return End('}'); }

JsonWriter& JsonWriter::BeginArray(Layout layout) { return Begin('[', layout); }

JsonWriter& JsonWriter::EndArray() { return End(']'); }

JsonWriter& JsonWriter::Key(std::string_view key)
{
    Separate();
    Quote(key);
    std::fputs(": ", file_);
    afterKey_ = true;
    return *this;
}

JsonWriter& JsonWriter::Text(std::string_view text)
{
    Separate();
    Quote(text);
    return *this;
}

JsonWriter& JsonWriter::Number(uint64_t number)
{
    Separate();
    std::fprintf(file_, "%" PRIu64, number);
    return *this;
}

void JsonWriter::End() { std::fputc('\n', file_); }

JsonWriter& JsonWriter::Begin(char bracket, Layout layout)
{
    Separate();
    std::fputc(bracket, file_);
    scopes_.push_back({layout, true});
    return *this;
}

JsonWriter& JsonWriter::End(char bracket)
{
    if (scopes_.back().layout == Layout::Lines && !scopes_.back().empty) { std::fputc('\n', file_); }
    scopes_.pop_back();
    std::fputc(bracket, file_);
    return *this;
}

void JsonWriter::Separate()
{
    if (afterKey_ || scopes_.empty()) {
        afterKey_ = false;
        return;
    }
    Scope& scope = scopes_.back();
    if (!scope.empty) { std::fputc(',', file_); }
    if (scope.layout == Layout::Lines) {
        std::fputc('\n', file_);
    } else if (!scope.empty) {
        std::fputc(' ', file_);
    }
    scope.empty = false;
}

void JsonWriter::Quote(std::string_view text)
{
    std::fputc('"', file_);
    for (char const c : text) {
        if (c == '"' || c == '\\') {
            std::fputc('\\', file_);
            std::fputc(c, file_);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::fprintf(file_, "\\u%04x", static_cast<unsigned>(c));
        } else {
            std::fputc(c, file_);
        }
    }
    std::fputc('"', file_);
}

}  // namespace machine
