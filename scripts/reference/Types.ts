// Reads the options of a function from the TypeScript of its package: the members of the type with their docstrings.
// The compiler has no API in JavaScript, so this follows the few forms that options have: interfaces with their
// heritage, intersections, unions, `Omit`, `Pick` and `Partial`.
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { type ESTree, parseSync } from "rolldown/utils"

const root = join(import.meta.dirname, "..", "..")

export interface Member {
  readonly name: string
  /** As it is written, without `undefined`. */
  readonly type: string
  readonly isRequired: boolean
  /** In one line, and empty if there is none. */
  readonly text: string
  /** Of an option that is an object with options. */
  readonly inner: ReadonlyArray<Member>
  /** Where it is declared. */
  readonly place: string
}

type Declaration = ESTree.TSInterfaceDeclaration | ESTree.TSTypeAliasDeclaration

interface Source {
  readonly path: string
  readonly text: string
  readonly comments: ReturnType<typeof parseSync>["comments"]
  readonly declarations: ReadonlyMap<string, Declaration>
  /** The module and the name in it of what is imported. `*`: the module. */
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>
}

const sources = new Map<string, Source>()

const nameOf = (node: ESTree.ModuleExportName): string => node.type === "Literal" ? node.value : node.name

const sourceOf = (path: string): Source => {
  const known = sources.get(path)
  if (known !== undefined) return known
  const text = readFileSync(join(root, path), "utf8")
  const { comments, program } = parseSync(path, text)
  const declarations = new Map<string, Declaration>()
  const imports = new Map<string, { readonly module: string; readonly name: string }>()
  for (const statement of program.body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (declared?.type === "TSInterfaceDeclaration" || declared?.type === "TSTypeAliasDeclaration") {
      declarations.set(declared.id.name, declared)
    }
    if (statement.type === "ImportDeclaration") {
      for (const one of statement.specifiers) {
        const name = one.type === "ImportSpecifier" ? nameOf(one.imported) : "*"
        imports.set(one.local.name, { module: statement.source.value, name })
      }
    }
    if (statement.type === "ExportNamedDeclaration" && statement.source !== null) {
      for (const one of statement.specifiers) {
        imports.set(nameOf(one.exported), { module: statement.source.value, name: nameOf(one.local) })
      }
    }
    // options that features add to those of agents and of services
    if (statement.type === "TSModuleDeclaration" && statement.body?.type === "TSModuleBlock") {
      for (const one of statement.body.body) {
        if (one.type === "TSInterfaceDeclaration") declarations.set(`+${one.id.name}`, one)
      }
    }
  }
  const source = { path, text, comments, declarations, imports }
  sources.set(path, source)
  return source
}

/** The file of a module of this repository. */
const fileOf = (from: string, module: string): string | undefined => {
  if (module.startsWith(".")) return relative(root, join(root, dirname(from), module)).replaceAll("\\", "/")
  const [, name, path = "index"] = /^@svc-runtime\/(\w+)(?:\/(.+))?$/.exec(module) ?? []
  const file = `packages/${name}/src/${path}.ts`
  return name !== undefined && existsSync(join(root, file)) ? file : undefined
}

interface Found {
  readonly source: Source
  readonly declaration: Declaration
}

const find = (source: Source, name: string): Found | undefined => {
  const declaration = source.declarations.get(name)
  if (declaration !== undefined) return { source, declaration }
  const imported = source.imports.get(name)
  if (imported === undefined || imported.name === "*") return undefined
  const file = fileOf(source.path, imported.module)
  return file === undefined ? undefined : find(sourceOf(file), imported.name)
}

/** `Name`, or `module.Name`. */
const resolve = (source: Source, written: string): Found | undefined => {
  const [first = "", second] = written.split(".")
  if (second === undefined) return find(source, first)
  const imported = source.imports.get(first)
  const file = imported?.name === "*" ? fileOf(source.path, imported.module) : undefined
  return file === undefined ? undefined : find(sourceOf(file), second)
}

const written = ({ text }: Source, node: { readonly start: number; readonly end: number }): string =>
  text.slice(node.start, node.end)

/** The texts of a list, or of the literals of a schema, of which a type is made: `typeof modes[number]`. */
const listedIn = (source: Source, node: ESTree.TSType): ReadonlyArray<string> => {
  const [, name] = /^\(?typeof (\w+)(?:\.Type|\)?\[number\])$/.exec(written(source, node)) ?? []
  const list = new RegExp(`const ${name} = (?:Schema\\.Literals\\()?\\[([^\\]]*)\\]`).exec(source.text)?.[1] ?? ""
  return list.match(/"[^"]+"/g) ?? []
}

/** A name of a union of literals is written out, because its members are what a reader needs. */
const writtenType = (source: Source, node: ESTree.TSType): string => {
  const own = listedIn(source, node)
  if (own.length > 0) return own.join(" | ")
  if (node.type === "TSParenthesizedType") return writtenType(source, node.typeAnnotation)
  if (node.type === "TSFunctionType") return "function"
  if (node.type === "TSTypeReference") {
    const name = written(source, node.typeName)
    const [first] = parametersOf(node)
    if (name === "ReadonlyArray" && first !== undefined) return `ReadonlyArray<${writtenType(source, first)}>`
    const found = resolve(source, name)
    const { declaration, source: home } = found ?? {}
    if (home !== undefined && declaration?.type === "TSTypeAliasDeclaration") {
      const members = typesIn(declaration.typeAnnotation)
      if (members.every(({ type }) => type === "TSLiteralType")) {
        return members.map((one) => written(home, one)).join(" | ")
      }
      const values = listedIn(home, declaration.typeAnnotation)
      if (values.length > 0) return values.join(" | ")
    }
  }
  return written(source, node)
}

const documented = (source: Source, node: ESTree.Node): string => {
  const before = source.comments.findLast(({ end }) => end <= node.start)
  const isOwn = before?.type === "Block" && before.value.startsWith("*") &&
    source.text.slice(before.end, node.start).trim() === ""
  if (!isOwn) return ""
  return before.value.slice(1).replaceAll(/\n\s*\* ?/g, "\n").trim().split("\n\n```", 1).join().replaceAll(/\s+/g, " ")
}

/** Names of types whose members are options themselves. */
const isOptions = (name: string): boolean =>
  /(Options|Settings|Sampling|Limits|Declaration|ManifestEntry|DisplayNames)$/.test(name.split(".").join(""))

const typesIn = (node: ESTree.TSType): ReadonlyArray<ESTree.TSType> =>
  node.type === "TSUnionType" ? node.types : node.type === "TSParenthesizedType" ? typesIn(node.typeAnnotation) : [node]

const parametersOf = ({ typeArguments }: ESTree.TSTypeReference | ESTree.TSInterfaceHeritage) =>
  typeArguments?.params ?? []

const literals = (source: Source, node: ESTree.TSType | undefined): ReadonlyArray<string> =>
  node === undefined ? [] : Array.from(written(source, node).matchAll(/"([^"]+)"/g), ([, name = ""]) => name)

/** Members of the same name are one: a union of bodies names those that the others lack as `undefined`. */
const merged = (members: ReadonlyArray<Member>): ReadonlyArray<Member> => {
  const all = new Map<string, Member>()
  for (const member of members) {
    const known = all.get(member.name)
    if (known === undefined || (known.type === "" && member.type !== "") || (known.text === "" && member.text !== "")) {
      all.set(member.name, member)
    }
  }
  return [...all.values()].filter(({ type }) => type !== "")
}

/** Required is what each alternative requires. */
const alternatives = (all: ReadonlyArray<ReadonlyArray<Member>>): ReadonlyArray<Member> =>
  merged(all.flat()).map((member) => ({
    ...member,
    isRequired: all.every((members) => members.some(({ isRequired, name }) => isRequired && name === member.name))
  }))

const referenced = (
  source: Source,
  name: string,
  parameters: ReadonlyArray<ESTree.TSType>,
  depth: number
): ReadonlyArray<Member> => {
  const [first, second] = parameters
  const of = first === undefined ? [] : membersOf(source, first, depth)
  switch (name) {
    case "Omit":
      return of.filter(({ name }) => !literals(source, second).includes(name))
    case "Pick":
      return of.filter(({ name }) => literals(source, second).includes(name))
    case "Partial":
      return of.map((member) => ({ ...member, isRequired: false }))
    case "Readonly":
      return of
  }
  const found = resolve(source, name)
  return found === undefined ? [] : declared(found, depth)
}

/** What features add to a type, by the file in which they do. */
const additions: Readonly<Record<string, string>> = { FeatureOptions: "agentPart.ts", Declarable: "feature.ts" }

const additionsTo = (name: string, source: Source): ReadonlyArray<Found> =>
  additions[name] === undefined || source.declarations.has(`+${name}`) ? [] : globSync(
    `packages/features/src/*/${additions[name]}`,
    { cwd: root }
  ).toSorted().flatMap((file) => {
    const source = sourceOf(file.replaceAll("\\", "/"))
    const declaration = source.declarations.get(`+${name}`)
    return declaration === undefined ? [] : [{ source, declaration }]
  })

const declared = ({ declaration, source }: Found, depth: number): ReadonlyArray<Member> => {
  if (declaration.type === "TSTypeAliasDeclaration") return membersOf(source, declaration.typeAnnotation, depth)
  const own = declaration.body.body.flatMap((member) => memberOf(source, member, depth))
  const inherited = declaration.extends.flatMap((one) =>
    referenced(source, written(source, one.expression), parametersOf(one), depth)
  )
  const added = additionsTo(declaration.id.name, source).flatMap((part) => declared(part, depth))
  return merged([...own, ...inherited, ...added])
}

const membersOf = (source: Source, node: ESTree.TSType, depth: number): ReadonlyArray<Member> => {
  switch (node.type) {
    case "TSTypeLiteral":
      return merged(node.members.flatMap((member) => memberOf(source, member, depth)))
    case "TSIntersectionType":
      return merged(node.types.flatMap((one) => membersOf(source, one, depth)))
    case "TSUnionType":
      return alternatives(node.types.map((one) => membersOf(source, one, depth)).filter(({ length }) => length > 0))
    case "TSParenthesizedType":
      return membersOf(source, node.typeAnnotation, depth)
    case "TSTypeReference":
      return referenced(source, written(source, node.typeName), parametersOf(node), depth)
    default:
      return []
  }
}

/** The options of an option, of an item of its list, or of a value of its record. */
const innerOf = (source: Source, node: ESTree.TSType, depth: number): ReadonlyArray<Member> =>
  merged(
    typesIn(node).flatMap((one) => {
      if (one.type === "TSTypeLiteral") return membersOf(source, one, depth)
      if (one.type === "TSIntersectionType") return one.types.flatMap((each) => innerOf(source, each, depth))
      if (one.type !== "TSTypeReference") return []
      const name = written(source, one.typeName)
      if (name === "ReadonlyArray" || name === "Readonly" || name === "Omit") {
        return parametersOf(one).slice(0, 1).flatMap((each) => innerOf(source, each, depth))
      }
      return isOptions(name) ? membersOf(source, one, depth) : []
    })
  )

const memberOf = (source: Source, member: ESTree.TSSignature, depth: number): ReadonlyArray<Member> => {
  if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return []
  const type = member.typeAnnotation?.typeAnnotation
  if (type === undefined) return []
  const types = typesIn(type).filter((one) => one.type !== "TSUndefinedKeyword")
  const text = documented(source, member)
  if (text.includes("@internal")) return []
  return [{
    name: member.key.name,
    type: types.map((one) => writtenType(source, one)).join(" | ").replaceAll(/\s+/g, " "),
    isRequired: !member.optional,
    text,
    inner: depth > 2 ? [] : innerOf(source, type, depth + 1),
    place: `${source.path}:${member.start}`
  }]
}

/** The options of types of a file, such as `Settings & Body`, in the order of the source. `?`: of some overloads only. */
export const optionsOf = (file: string, types: string): ReadonlyArray<Member> =>
  merged(
    types.split(" & ").flatMap((type) => {
      const name = type.replace("?", "")
      const found = find(sourceOf(file), name)
      if (found === undefined) throw new Error(`${file} has no type ${name}`)
      return declared(found, 0).map((member) => name === type ? member : { ...member, isRequired: false })
    })
  )
