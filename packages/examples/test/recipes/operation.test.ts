import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import * as Program from "./Program.ts"

describe("recipes about operation", () => {
  it("the objects of Kubernetes fit each other, and the container has the rights and probes that a service needs", () => {
    const documents = parseAllDocuments(readFileSync(join(Program.recipes, "kubernetes.yaml"), "utf8"))
    const [deployment, service] = documents.map((document) => document.toJS())
    assert.deepStrictEqual([deployment.kind, service.kind], ["Deployment", "Service"])
    const { template } = deployment.spec
    const [container] = template.spec.containers
    assert.deepStrictEqual(deployment.spec.selector.matchLabels, template.metadata.labels)
    assert.deepStrictEqual(service.spec.selector, template.metadata.labels)
    assert.strictEqual(service.spec.ports[0].targetPort, container.ports[0].name)
    assert.deepStrictEqual(container.ports, [{ name: "http", containerPort: 7777 }])
    assert.deepInclude(template.spec, { automountServiceAccountToken: false, terminationGracePeriodSeconds: 70 })
    assert.deepInclude(template.spec.securityContext, { runAsNonRoot: true, runAsUser: 1000 })
    assert.deepInclude(container.securityContext, { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } })
    assert.deepStrictEqual(
      [container.readinessProbe.httpGet.path, container.livenessProbe.httpGet.path],
      ["/ready", "/health"]
    )
  })
})
