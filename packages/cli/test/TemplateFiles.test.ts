// The files of the templates that no engine and no cluster checks here: the steps of the image, and the chart.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { parse } from "yaml"
import { stepsOf } from "../../../scripts/release/ImageSteps.ts"

Tier.oneIn(3)

const templates = join(import.meta.dirname, "../templates")
const read = (...path: ReadonlyArray<string>) => readFileSync(join(templates, ...path), "utf8")

describe("the image of a project", () => {
  const steps = stepsOf(read("base", "Dockerfile"))
  const textsOf = (instruction: string) =>
    steps.filter((step) => step.instruction === instruction).map(({ text }) => text)

  it("each stage begins with an image in a version of its own, and none is the latest", () => {
    for (const from of textsOf("FROM")) assert.match(from, /^[a-z/]+:\d[\w.-]*( AS [a-z]+)?$/)
  })

  it("the program runs as another user than root, and begins without a shell", () => {
    assert.deepStrictEqual(textsOf("USER"), ["node"])
    assert.deepStrictEqual(steps.filter(({ instruction }) => instruction === "ENTRYPOINT"), [])
    const [command] = textsOf("CMD")
    assert.strictEqual(JSON.parse(command ?? "")[0], "node")
    assert.isBelow(
      steps.findIndex(({ instruction }) => instruction === "USER"),
      steps.findIndex(({ instruction }) => instruction === "CMD")
    )
  })

  it("the image has a health check, absolute work directories, and no step that fetches by itself", () => {
    assert.lengthOf(textsOf("HEALTHCHECK"), 1)
    for (const directory of textsOf("WORKDIR")) assert.match(directory, /^\//)
    assert.deepStrictEqual(textsOf("ADD"), [])
    for (const run of textsOf("RUN")) assert.notMatch(run, /\b(?:sudo|curl|wget|apt-get)\b/)
  })

  it("what is copied is let through by .dockerignore, and the settings with the secrets are not", () => {
    const [first, ...sent] = read("base", ".dockerignore").trim().split("\n")
    assert.strictEqual(first, "*")
    for (const copy of textsOf("COPY").filter((text) => !text.startsWith("--from="))) {
      const [source = ""] = copy.split(" ")
      assert.isTrue(sent.some((name) => name.slice(1).startsWith(source.replace("*.json", ""))), source)
    }
    assert.isFalse(sent.some((name) => name.includes("env") || name === "!."))
  })
})

type Values = { readonly [key: string]: unknown }

/** The part of the template language that the chart uses. What it does not know it refuses. */
const rendered = (template: string, values: Values): string => {
  const valueOf = (path: string): unknown =>
    path === ".Release.Name"
      ? "mine"
      : path.split(".").slice(2).reduce<unknown>((value, key) => (value as Values)[key], values)
  const isTrue = (condition: string): boolean => {
    const [, path, least] = /^gt (\S+) (\d+)$/.exec(condition) ?? []
    return path === undefined ? Boolean(valueOf(condition)) : Number(valueOf(path)) > Number(least)
  }
  const written = (expression: string): string => {
    const [, path = "", indent] = /^toYaml (\S+) \| nindent (\d+)$/.exec(expression) ?? []
    // JSON is YAML
    if (indent !== undefined) return ` ${JSON.stringify(valueOf(path))}`
    const [, quoted] = /^(\S+) \| quote$/.exec(expression) ?? []
    const value = valueOf(quoted ?? expression)
    assert.isDefined(value, `the values have no ${expression}`)
    return quoted === undefined ? String(value) : JSON.stringify(String(value))
  }
  return template
    .replace(/\{\{- if (.+?) \}\}\n([\s\S]*?)\{\{- end \}\}/g, (_, condition, text) => isTrue(condition) ? text : "")
    .replaceAll(/ \{\{- (.+?) \}\}/g, (_, expression) => written(expression))
    .replaceAll(/\{\{ (.+?) \}\}/g, (_, expression) => written(expression))
}

describe("the chart", () => {
  const chart = join(templates, "agentos-helm", "chart")
  const standard: Values = parse(readFileSync(join(chart, "values.yaml"), "utf8"))
  const objectsWith = (values: Values) =>
    globSync("templates/*.yaml", { cwd: chart }).toSorted().flatMap((file) => {
      const object = parse(rendered(readFileSync(join(chart, file), "utf8"), { ...standard, ...values }))
      return object === null ? [] : [object]
    })
  const kindsWith = (values: Values) => objectsWith(values).map(({ kind }) => kind)

  it("a release has a deployment and a service, and more only where the values ask for it", () => {
    assert.deepStrictEqual(kindsWith({}), ["Deployment", "Service"])
    assert.deepStrictEqual(kindsWith({ replicas: 3 }), ["Deployment", "PodDisruptionBudget", "Service"])
    assert.deepStrictEqual(kindsWith({ host: "desk.example.com" }), ["Deployment", "Ingress", "Service"])
  })

  it("the container has no rights that it does not need, and time to finish its runs", () => {
    const [deployment] = objectsWith({ image: "registry.example.com/mine:1" })
    const { spec } = deployment.spec.template
    assert.deepInclude(spec, { automountServiceAccountToken: false, terminationGracePeriodSeconds: 70 })
    assert.deepInclude(spec.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    const [container] = spec.containers
    assert.strictEqual(container.image, "registry.example.com/mine:1")
    assert.deepStrictEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] }
    })
    assert.deepStrictEqual(container.resources, standard["resources"] as never)
    assert.strictEqual(container.readinessProbe.httpGet.path, "/ready")
  })

  it("the service and the ingress lead to the port of the container", () => {
    const [deployment, ingress, service] = objectsWith({ host: "desk.example.com" })
    const port = deployment.spec.template.spec.containers[0].ports[0]
    assert.deepStrictEqual(port, { name: "http", containerPort: 7777 })
    assert.strictEqual(service.spec.ports[0].targetPort, port.name)
    assert.deepStrictEqual(service.spec.selector, deployment.spec.selector.matchLabels)
    const [rule] = ingress.spec.rules
    assert.strictEqual(rule.host, "desk.example.com")
    assert.strictEqual(rule.http.paths[0].backend.service.name, service.metadata.name)
    assert.strictEqual(ingress.metadata.annotations["nginx.ingress.kubernetes.io/proxy-buffering"], "off")
  })
})

describe("the scripts of a project", () => {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read("base", "package.json"))

  it.each(["start", "dev", "test"])("an older Node prints which one the project needs: npm run %s", (name) => {
    const older = "Object.defineProperty(process,\"versions\",{value:{...process.versions,node:\"20.11.0\"}})"
    // npm executes the scripts before and after, and ends at the first that fails
    const script = [`pre${name}`, name].flatMap((each) => scripts[each] ?? []).join(" && ")
    const { status, stderr } = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
      cwd: join(templates, ".."),
      env: {
        PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(older)}`
      }
    })
    assert.strictEqual(status, 1)
    assert.match(stderr, /needs Node 22\.19 or newer, and this is 20\.11\.0.*npm install --save-dev node@24\n$/)
  })
})

describe("the files of platforms", () => {
  const files = globSync("*/*.{yaml,yml,json}", { cwd: templates }).filter((file) => !file.endsWith("package.json"))

  it.each(files)("%s can be read, and sets no secret", (file) => {
    const text = read(file)
    const content = file.endsWith(".json") ? JSON.parse(text) : parse(text)
    assert.isObject(content)
    assert.notMatch(text, /sk-[A-Za-z0-9]|BEGIN [A-Z ]*PRIVATE KEY/)
  })
})
