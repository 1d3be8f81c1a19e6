import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Skill from "../Skill.ts"
import * as SkillReading from "../SkillReading.ts"

const file = (head: string, body = "Do it.") => `---\n${head}\n---\n${body}`

const base = "name: pdf-forms\ndescription: Fills forms"

const problemOf = (text: string, files: ReadonlyArray<Skill.File> = []) => {
  const read = SkillReading.of(text, files)
  return Result.isFailure(read) ? read.failure : undefined
}

const skillOf = (text: string, files: ReadonlyArray<Skill.File> = []) => Result.getOrThrow(SkillReading.of(text, files))

describe("a SKILL.md", () => {
  it("all fields of the format are read", () => {
    const skill = skillOf(file(
      `name: pdf-forms
description: >-
  Fills forms of PDF files.
  Use it: for "forms" # not for scans
license: "Apache-2.0"
compatibility: 'Needs poppler''s tools'
allowed-tools: Read Bash(git:*) search
metadata:
  author: example # of the group
  version: "1.0"`,
      "\n# Forms\n\n---\nEnd\n"
    ))
    assert.deepStrictEqual(skill, {
      name: Skill.Name.make("pdf-forms"),
      description: "Fills forms of PDF files. Use it: for \"forms\" # not for scans",
      license: "Apache-2.0",
      compatibility: "Needs poppler's tools",
      allowed_tools: ["Read", "Bash(git:*)", "search"],
      metadata: { author: "example", version: "1.0" },
      instructions: "# Forms\n\n---\nEnd",
      files: []
    })
  })

  it.each([
    ["a list in brackets", "allowed-tools: [read, search]"],
    ["a list with dashes", "allowed-tools:\n  - read\n  - search"],
    ["a list with dashes that begin the line", "allowed-tools:\n- read\n- search"],
    ["a text", "allowed-tools: read, search"]
  ])("tools are read as %s", (_, line) => {
    assert.deepStrictEqual(skillOf(file(`${base}\n${line}`)).allowed_tools, ["read", "search"])
  })

  it("lines end as they do on any system, and a mark at the beginning is skipped", () => {
    const skill = skillOf(`\ufeff${file(base, "One\nTwo")}`.replaceAll("\n", "\r\n"))
    assert.strictEqual(skill.name, "pdf-forms")
    assert.strictEqual(skill.instructions, "One\r\nTwo")
  })

  it("a text continues in the next line", () => {
    assert.strictEqual(skillOf(file("name: a\ndescription: One\n  two")).description, "One two")
  })

  it.each<[string, string, string]>([
    ["nothing", "", "its first line is not ---"],
    ["no fields", "# Title", "its first line is not ---"],
    ["a second line with other spaces", "---\nname: a\ndescription: x\n---\u00a0\n", "there is no second line ---"],
    ["an open head", "---\nname: a\n", "there is no second line ---"],
    ["no name", file("description: x"), "it has no name. Add a line such as `name: pdf-forms`"],
    ["no description", file("name: a"), "it has no description. Add a line that says when the skill helps"],
    ["a name in capitals", file("name: PDF\ndescription: x"), "name is 'PDF'. A name has small letters"],
    ["a name of another alphabet", file("name: ｐｄｆ\ndescription: x"), "name is 'ｐｄｆ'. A name has small letters"],
    ["a name that leads elsewhere", file("name: ../x\ndescription: x"), "name is '../x'. A name has small letters"],
    ["a long name", file(`name: ${"a".repeat(65)}\ndescription: x`), "name is 'aaaa"],
    [
      "a long description",
      file(`name: a\ndescription: ${"x".repeat(1025)}`),
      "description has 1025 characters: at most 1024"
    ],
    ["an unknown field", file(`${base}\nlicence: MIT`), "'licence' is not a field of the format. Its fields are name,"],
    ["a field twice", file(`${base}\nname: b`), "line 4: 'name' is given twice"],
    ["no field", file(`${base}\nhello`), "line 4: expected a name, a colon and a text"],
    ["an anchor", file(`${base}\nlicense: &a x`), "line 4: a text that begins with & needs quotation marks"],
    ["an alias", file(`${base}\nlicense: *a`), "line 4: a text that begins with * needs quotation marks"],
    ["a tag", file(`${base}\nlicense: !!js/function x`), "line 4: a text that begins with ! needs quotation marks"],
    ["an object", file(`${base}\nmetadata: {a: b}`), "line 4: a text that begins with { needs quotation marks"],
    [
      "deep metadata",
      file(`${base}\nmetadata:\n  a:\n    b: c`),
      "line 5: expected a name, a colon and a text on one line"
    ],
    ["an open text", file(`${base}\nlicense: "MIT`), "line 4: the quotation mark is not closed on its line"],
    ["an escape", file(`${base}\nlicense: "\\x41"`), "line 4: \\x is not known. Write the character itself"],
    ["U+0000", file(`${base}\nlicense: a\0b`), "it is no text"]
  ])("what cannot be read is refused with what to do: %s", (_, text, problem) => {
    assert.include(problemOf(text), `SKILL.md: ${problem}`)
  })

  it.each<[string, string, string]>([
    ["an absolute path", "/etc/passwd", "leads out of its folder"],
    ["a path upwards", "a/../../b", "leads out of its folder"],
    ["a path of another system", "a\\b", "characters that a path cannot have"],
    ["an empty path", "", "has no path of 1 to 255 characters"],
    ["an empty part", "a//b", "has empty parts"],
    ["a path with U+0000", "a\0b", "characters that a path cannot have"],
    ["a path with hidden characters", "a\u202eb", "characters that a path cannot have"],
    ["the file itself in another case", "skill.md", "two files have the path 'skill.md'"],
    ["a long path", "a".repeat(256), "has no path of 1 to 255 characters"]
  ])("a file cannot have %s", (_, path, problem) => {
    assert.include(problemOf(file(base), [{ path, content: "" }]), problem)
  })

  it("two paths that are one file on some disks are refused", () => {
    const files = ["Notes/a.md", "notes/A.md"].map((path) => ({ path, content: "" }))
    assert.include(problemOf(file(base), files), "two files have the path 'notes/A.md', whatever their case")
    const accents = ["\u00e9.md", "e\u0301.md"].map((path) => ({ path, content: "" }))
    assert.include(problemOf(file(base), accents), "two files have the path")
  })

  it("files that are too many or too large are refused", () => {
    const many = Array.from({ length: 101 }, (_, index) => ({ path: `${index}.md`, content: "" }))
    assert.include(problemOf(file(base), many), "there are 101 files beside it: at most 100")
    assert.include(problemOf(file(base), [{ path: "a", content: "x".repeat(500_001) }]), "has 500001 characters")
    const large = ["a", "b"].map((path) => ({ path, content: "x".repeat(480_000) }))
    assert.include(problemOf(file(base), large), "characters together: at most 900000")
    assert.include(problemOf(file(base, "x".repeat(200_000))), "characters: at most 200000")
  })

  it("a hostile head is refused in no time", () => {
    const begun = performance.now()
    assert.isDefined(problemOf(`---\n${"a: b\n".repeat(30_000)}`))
    assert.isDefined(problemOf(`---\n${" ".repeat(100_000)}x\n---\n`))
    assert.isDefined(problemOf(file(`name: a\ndescription: "${"\\\\".repeat(8000)}`)))
    assert.isDefined(problemOf(file(`name: a\nallowed-tools: [${"a,".repeat(8000)}`)))
    assert.isDefined(problemOf(file(`name: a\ndescription: a${" ".repeat(15_000)}b`)))
    const other = "\u2028"
    assert.isDefined(problemOf(file(`name: a\ndescription:${"\t".repeat(15_000)}${other}\n- a`)))
    assert.isDefined(problemOf(file(`name: a\ndescription: a${" #".repeat(7000)}${other}\n- a`)))
    assert.isDefined(problemOf(file(`name: a\nallowed-tools: [${"]#".repeat(7000)}${other}`)))
    assert.isBelow(performance.now() - begun, 500)
  })

  it("names of objects are fields like others", () => {
    const skill = skillOf(file(`${base}\nmetadata:\n  __proto__: x\n  constructor: y`))
    assert.strictEqual(Object.getPrototypeOf(skill.metadata), Object.prototype)
    assert.strictEqual(Object.entries(skill.metadata).length, 2)
  })
})
