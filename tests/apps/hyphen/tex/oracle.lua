-- SPDX-License-Identifier: MIT
-- For `luatex -ini`: makes a list of nodes of each line of words.txt, as a paragraph would, has
-- LuaTeX hyphenate it, and writes it to hyphenated.txt with a hyphen for each break.
-- patterns.tex, exceptions.tex and minima.lua lie beside it.
local GLYPH, DISC, GLUE = node.id("glyph"), node.id("disc"), node.id("glue")

local function content(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end

-- INITEX knows the letters of ASCII; those of Latin-1 are what a format would add.
for lower = 0xE0, 0xFE do
    if lower ~= 0xF7 then
        tex.setlccode(lower, lower)
        tex.setlccode(lower - 0x20, lower)
    end
end
tex.exhyphenchar = string.byte("-")

local minima = dofile("minima.lua")
local language = lang.new()
lang.patterns(language, content("patterns.tex"))
lang.hyphenation(language, content("exceptions.tex"))
lang.prehyphenchar(language, string.byte("-"))

local characters = {}
for code = 0x20, 0x24F do
    characters[code] = {width = 65536, height = 65536, depth = 0}
end
local font_id = font.define{name = "any", size = 655360, type = "real",
                            characters = characters, parameters = {}}

local function list_of(line)
    local head = node.new(GLUE)
    local tail = head
    local function append(added)
        tail.next, added.prev = added, tail
        tail = added
    end
    for _, code in utf8.codes(line) do
        assert(characters[code], "a character that the font has not: " .. line)
        local glyph = node.new(GLYPH)
        glyph.subtype = 1 -- to be hyphenated
        glyph.font, glyph.char, glyph.lang = font_id, code, language
        glyph.left, glyph.right, glyph.uchyph = minima.left, minima.right, 1
        append(glyph)
    end
    append(node.new(GLUE))
    return head, tail
end

local out = assert(io.open("hyphenated.txt", "wb"))
for line in io.lines("words.txt") do
    local head, tail = list_of(line)
    lang.hyphenate(head, tail)
    local text = {}
    for n in node.traverse(head) do
        if n.id == GLYPH then
            text[#text + 1] = utf8.char(n.char)
        elseif n.id == DISC then -- a break, or what a hyphen of the word itself became
            text[#text + 1] = "-"
        end
    end
    out:write(table.concat(text), "\n")
    node.flush_list(head)
end
assert(out:close())
