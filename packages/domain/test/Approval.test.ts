// The fields of an approval, and how time and the end of its run change it.
import { assert, describe, it } from "@effect/vitest"
import * as Approval from "../src/Approval.ts"
import type * as ComponentKind from "../src/ComponentKind.ts"
import * as Ids from "../src/Ids.ts"
import * as Owner from "../src/Owner.ts"
import * as Principal from "../src/Principal.ts"
import * as Run from "../src/Run.ts"
import * as Scope from "../src/Scope.ts"
import * as Session from "../src/Session.ts"

const question = (kind: ComponentKind.ComponentKind = "agent"): Approval.ApprovalRequest => ({
  id: Approval.Id.make("a"),
  run_id: Run.Id.make("r"),
  session_id: Session.Id.make("s"),
  user_id: Ids.UserId.make("ann"),
  source: { kind, id: "mailer", name: "Mailer" },
  pause_type: "confirmation",
  tool_name: "send_mail",
  tool_args: { to: "b" },
  tool_names: ["send_mail", "other"],
  schedule_id: null,
  created_at: 100,
  expires_at: 160
})

const pending = Approval.required(question(), [{ id: "q" }])

describe("an approval", () => {
  it("a required approval is pending and has its requirements", () => {
    assert.deepStrictEqual(pending, {
      id: Approval.Id.make("a"),
      run_id: Run.Id.make("r"),
      session_id: Session.Id.make("s"),
      status: "pending",
      source_type: "agent",
      approval_type: "required",
      pause_type: "confirmation",
      tool_name: "send_mail",
      tool_args: { to: "b" },
      expires_at: 160,
      agent_id: "mailer",
      team_id: null,
      workflow_id: null,
      user_id: Ids.UserId.make("ann"),
      schedule_id: null,
      schedule_run_id: null,
      source_name: "Mailer",
      requirements: [{ id: "q" }],
      context: { tool_names: ["send_mail", "other"], source_name: "Mailer" },
      resolution_data: null,
      resolved_by: null,
      resolved_at: null,
      created_at: 100,
      updated_at: 100,
      run_status: "PAUSED"
    })
  })

  it("an audit approval is resolved when it is created, without a resolver and without requirements", () => {
    const entry = Approval.audit({ ...question(), expires_at: null }, "rejected", "RUNNING")
    assert.deepStrictEqual(entry, {
      ...pending,
      approval_type: "audit",
      status: "rejected",
      resolved_at: 100,
      requirements: null,
      run_status: "RUNNING",
      expires_at: null
    })
  })

  it.each(["agent", "team", "workflow"] as const)("an approval of a component of kind %s has its id", (kind) => {
    const { agent_id, source_type, team_id, workflow_id } = Approval.required(question(kind), [])
    const expected = { agent: null, team: null, workflow: null, [kind]: "mailer" }
    assert.strictEqual(source_type, kind)
    assert.deepStrictEqual({ agent: agent_id, team: team_id, workflow: workflow_id }, expected)
  })

  it("an approval without a component name leaves the name out", () => {
    const nameless = Approval.required({ ...question(), source: { kind: "agent", id: "x", name: null } }, [])
    assert.deepStrictEqual(nameless.context, { tool_names: ["send_mail", "other"] })
    assert.isNull(nameless.source_name)
  })

  it("an approval expires in the second that it is given, when it is still pending", () => {
    assert.strictEqual(Approval.asOf(pending, 159), pending)
    assert.deepStrictEqual(Approval.asOf(pending, 160), { ...pending, status: "expired" })
    const forever = { ...pending, expires_at: null }
    assert.strictEqual(Approval.asOf(forever, Number.MAX_SAFE_INTEGER), forever)
    const resolved = Approval.resolved(pending, { status: "approved", resolved_by: null, resolution_data: null }, 159)
    assert.strictEqual(Approval.asOf(resolved, 160), resolved)
  })

  it("a pending approval is cancelled with its run, and only its run_status changes at any other end", () => {
    const ofCancelled = { ...pending, run_status: "CANCELLED", updated_at: 120 } as const
    assert.deepStrictEqual(Approval.afterRun(pending, "CANCELLED", 120), { ...ofCancelled, status: "cancelled" })
    assert.deepStrictEqual(Approval.afterRun({ ...pending, status: "approved" }, "CANCELLED", 120), {
      ...ofCancelled,
      status: "approved"
    })
    const late = Approval.afterRun(pending, "CANCELLED", 160)
    assert.strictEqual(late.status, "pending")
    assert.strictEqual(Approval.asOf(late, 160).status, "expired")
    assert.strictEqual(Approval.afterRun(pending, "COMPLETED", 120).status, "pending")
    assert.strictEqual(Approval.afterRun(ofCancelled, "CANCELLED", 130), ofCancelled)
  })
})

describe("The owners whose approvals a caller can resolve", () => {
  const grants = (...scopes: ReadonlyArray<string>) => Scope.grants(scopes, Scope.defaultAdmin)
  const ann = Ids.UserId.make("ann")
  const token: Principal.Principal = { ...Principal.open, credential: "jwt", user_id: ann, isIsolated: true }

  it.each<readonly [rule: string, Principal.Principal, Owner.Owner]>([
    ["on an open service every caller decides everything", Principal.open, Owner.anyone],
    ["the security key decides everything", Principal.securityKey, Owner.anyone],
    ["an isolated user decides nothing", token, Owner.none],
    ["a user decides everything without isolation", { ...token, isIsolated: false }, Owner.anyone],
    [
      "a token that is limited to a session decides what belongs to the session",
      { ...Principal.securityKey, session_id: "s" },
      Owner.within(Owner.anyone, "s")
    ],
    ["a service account decides nothing", Principal.serviceAccount(ann, grants("approvals:write")), Owner.none],
    [
      "a service account that is an admin decides everything",
      Principal.serviceAccount(ann, grants("platform:admin")),
      Owner.anyone
    ]
  ])("approvals are resolved by these callers: %s", (_, principal, expected) => {
    assert.deepStrictEqual(Approval.resolvableBy(principal), expected)
  })
})
