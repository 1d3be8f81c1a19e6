import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Agent from "../../Agent.ts"
import { ContentSourceFailed, type Source } from "../../knowledge/ContentSource.ts"
import * as Skills from "../Skills.ts"

const text = (name: string) => `---\nname: ${name}\ndescription: Does ${name}\n---\nDo ${name}.`

/** A folder with these files. */
const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "skills-"))
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

describe("skills of a folder", () => {
  it("each folder with a SKILL.md is a skill, with its files", () => {
    const folder = folderWith({
      "b/SKILL.md": text("b"),
      "a/SKILL.md": text("a"),
      "a/references/one.md": "One",
      "a/scripts/run.py": "print(1)",
      "a/logo.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0xff]),
      "a/.env": "SECRET=1",
      "a/.git/config": "secret",
      "notes/readme.md": "No skill",
      "readme.md": "No skill"
    })
    const skills = Skills.fromFolder(folder)
    assert.deepStrictEqual(skills.map(({ name }) => String(name)), ["a", "b"])
    assert.deepStrictEqual(skills[0]?.files, [
      { path: "references/one.md", content: "One" },
      { path: "scripts/run.py", content: "print(1)" }
    ])
    assert.deepStrictEqual(Skills.fromFolder(join(folder, "a")), skills.slice(0, 1))
  })

  it("what is no folder with skills is refused with what to do", () => {
    assert.throws(() => Skills.fromFolder("/no/such/folder"), "There is no folder /no/such/folder with skills")
    const empty = folderWith({ "readme.md": "" })
    assert.throws(() => Skills.fromFolder(empty), `No folder in ${empty} has a SKILL.md`)
    const other = folderWith({ "a/SKILL.md": text("b") })
    assert.throws(() => Skills.fromFolder(other), "its name is 'b', and must be that of its folder, 'a'")
    const broken = folderWith({ "a/SKILL.md": "# A" })
    assert.throws(
      () => Skills.fromFolder(broken),
      `The skill ${join(broken, "a")}: SKILL.md: its first line is not ---`
    )
    const binary = folderWith({ "a/SKILL.md": new Uint8Array([0xff, 0xfe, 0]) })
    assert.throws(() => Skills.fromFolder(binary), "SKILL.md is no text in UTF-8")
  })

  it("links are refused, and so is a folder that is one", () => {
    const folder = folderWith({ "a/SKILL.md": text("a") })
    symlinkSync("/etc/passwd", join(folder, "a", "passwd.md"))
    assert.throws(() => Skills.fromFolder(folder), "passwd.md is a link. Put the file itself there")
    const linked = folderWith({ "real/SKILL.md": text("real") })
    symlinkSync(join(linked, "real"), join(linked, "link"))
    assert.deepStrictEqual(Skills.fromFolder(linked).map(({ name }) => String(name)), ["real"])
    const outside = folderWith({ "a/x.md": "" })
    symlinkSync("/etc/passwd", join(outside, "a", "SKILL.md"))
    assert.throws(() => Skills.fromFolder(outside), "has a SKILL.md")
  })

  it("a large file that is no text is left out, like a small one", () => {
    const picture = new Uint8Array(2_000_001).fill(0xff)
    const files = { "a/SKILL.md": text("a"), "a/logo.png": picture }
    assert.deepStrictEqual(Skills.fromFolder(folderWith(files))[0]?.files, [])
  })

  it("what is no text where one is needed is refused with what to do", () => {
    assert.throws(() => Skills.make({} as never), "The skill has no text. Give it the whole text of its SKILL.md")
    const files = { "a.md": 5 } as never
    assert.throws(() => Skills.make({ text: text("a"), files }), "The file 'a.md' of the skill is no text")
    const half = { "\ud800.md": "One" }
    assert.throws(() => Skills.make({ text: text("a"), files: half }), "characters that a path cannot have")
  })

  it("a huge file is refused before it is read", () => {
    const folder = folderWith({ "a/SKILL.md": text("a").padEnd(70_000), "a/data.md": "x".repeat(70_000) })
    truncateSync(join(folder, "a", "data.md"), 100 * 1024 ** 2)
    assert.throws(() => Skills.fromFolder(folder), "data.md has 104857600 bytes. A skill has smaller files")
    truncateSync(join(folder, "a", "SKILL.md"), 100 * 1024 ** 2)
    assert.throws(() => Skills.fromFolder(folder), "SKILL.md has 104857600 bytes")
  })
})

const sourceOf = (files: Readonly<Record<string, string | Uint8Array>>): Source => ({
  id: "bucket",
  name: "bucket",
  type: "s3",
  prefix: "",
  params: [],
  list: undefined,
  sync: undefined,
  folder: ({ path }) =>
    path === "gone"
      ? Effect.fail(new ContentSourceFailed({ reason: "missing", message: "Folder not found: gone" }))
      : Effect.succeed(
        Object.entries(files).filter(([key]) => key.startsWith(path)).map(([key, { length: size }]) => ({
          key,
          size,
          version: "1"
        }))
      ),
  fetch: (key) =>
    Effect.succeed({
      bytes: Predicate.isString(files[key]) ? new TextEncoder().encode(files[key]) : files[key] ?? new Uint8Array(),
      type: undefined
    })
})

const refusal = (made: Promise<unknown>) => made.then(() => "", ({ message }: Error) => message)

describe("skills of a content source", () => {
  it("each folder with a SKILL.md is a skill, wherever it is", async () => {
    const skills = await Skills.fromSource(
      sourceOf({
        "readme.md": "No skill",
        "skills/a/SKILL.md": text("a"),
        "skills/a/more/one.md": "One",
        "skills/a/logo.png": new Uint8Array([0xff, 0xd8, 0]),
        "skills/a/nested/SKILL.md": text("nested"),
        "skills/b/SKILL.md": text("b")
      }),
      { path: "skills" }
    )
    assert.deepStrictEqual(skills.map(({ name }) => String(name)), ["a", "b"])
    assert.deepStrictEqual(skills[0]?.files.map(({ path }) => path), ["more/one.md", "nested/SKILL.md"])
  })

  it("what cannot be read is refused with what to do", async () => {
    const owner = "The skills of the source 'bucket'"
    assert.strictEqual(await refusal(Skills.fromSource(sourceOf({}))), `${owner}: no folder in '' has a SKILL.md`)
    assert.strictEqual(await refusal(Skills.fromSource(sourceOf({}), { path: "gone" })), "Folder not found: gone")
    const broken = sourceOf({ "a/SKILL.md": "# A" })
    assert.include(await refusal(Skills.fromSource(broken)), `${owner}: a: SKILL.md: its first line is not ---`)
    const outside = sourceOf({ "a/SKILL.md": text("a"), "a/../../b": "" })
    assert.include(await refusal(Skills.fromSource(outside)), "leads out of its folder")
    const large = sourceOf({ "a/SKILL.md": text("a"), "a/b": new Uint8Array(2_000_001) })
    assert.include(await refusal(Skills.fromSource(large)), "a/b has 2000001 bytes")
  })
})

describe("the option skills", () => {
  const skill = Skills.make({ text: text("a") })
  const make = (skills: never) => () => Agent.make({ id: "agent", skills })

  it("what cannot be a skill is refused where the agent is made", () => {
    assert.throws(make([skill, "a"] as never), "Agent 'agent' has two skills called 'a'")
    assert.throws(make(["../a"] as never), "skills[0] is '../a', which cannot be the name of a skill")
    assert.throws(make([[skill]] as never), "Write ... before it")
    assert.throws(make([{ name: "a" }] as never), "Make it with Skills.make or Skills.fromFolder")
    assert.throws(make(Array.from({ length: 101 }, (_, index) => `s-${index}`) as never), "has 101 skills: at most 100")
  })

  it("an agent without skills has no tools for them", () => {
    assert.strictEqual(Agent.make({ id: "agent", skills: [] }).tools.size, 0)
    assert.deepStrictEqual([...Agent.make({ id: "agent", skills: [skill] }).tools.keys()], [
      "load_skill",
      "read_skill_file"
    ])
  })

  it("texts that are no skill are refused with what to do", () => {
    assert.throws(() => Skills.make({ text: "hello" }), "The skill: SKILL.md: its first line is not ---")
    assert.throws(() => Skills.make({ text: text("a"), files: { "../b": "" } }), "leads out of its folder")
  })
})
