// The tenant of a user, which is a part of the id.
import { assert, describe, it } from "@effect/vitest"
import { UserId } from "../src/Ids.ts"
import * as Owner from "../src/Owner.ts"
import * as Principal from "../src/Principal.ts"
import * as Scope from "../src/Scope.ts"
import * as Tenant from "../src/Tenant.ts"

const ann = Tenant.userIn("acme", "ann")

const caller = (user_id: string | undefined, scopes: ReadonlyArray<string>) => {
  const grants = Scope.grants(scopes, Scope.defaultAdmin)
  return Principal.inTenant(
    {
      ...Principal.serviceAccount(UserId.make(user_id ?? ""), grants),
      user_id: user_id === undefined ? undefined : UserId.make(user_id)
    },
    "acme"
  )
}

describe("Tenant", () => {
  it("the tenant of a user is read out of the id, also out of that of the author of a schedule", () => {
    assert.strictEqual(Tenant.of(ann), "acme")
    assert.strictEqual(Tenant.of(Principal.schedulerFor(ann)), "acme")
    assert.strictEqual(Tenant.within(ann), "ann")
    assert.strictEqual(Tenant.userIn("acme", ann), ann)
    for (const other of ["ann", "sa:acme", "tenant:", "tenant:acme", "x tenant:acme:ann"]) {
      assert.isUndefined(Tenant.of(other), other)
    }
  })

  it("an owner of a tenant covers its users, and none of a tenant whose name begins the same", () => {
    const owner = Owner.tenant("acme")
    const covered = ["tenant:acme:", "tenant:acme:ann", "__scheduler__:tenant:acme:ann"]
    const others = ["tenant:acme2:ann", "tenant:acme", "acme", "ann", "x:tenant:acme:ann", null]
    for (const user of covered) assert.isTrue(Owner.covers(owner, UserId.make(user)), user)
    for (const user of others) {
      assert.isFalse(Owner.covers(owner, user === null ? null : UserId.make(user)), String(user))
    }
  })

  it("a user of a tenant reads what the tenant shares and what is without an owner, and changes neither", () => {
    const owner = Owner.user(ann)
    for (const user of [Tenant.itself("acme"), null]) {
      assert.deepStrictEqual([Owner.reads(owner, user), Owner.covers(owner, user)], [true, false])
    }
    assert.isFalse(Owner.reads(owner, Tenant.itself("globex")))
    assert.isFalse(Owner.reads(Owner.user(UserId.make("ann")), Tenant.itself("acme")))
  })

  it("an admin of a tenant has its data as owner, and a user the own data", () => {
    assert.deepStrictEqual(Principal.owner(caller("boss", [Scope.defaultAdmin])), Owner.tenant("acme"))
    assert.deepStrictEqual(Principal.owner(caller("ann", ["sessions:read"])), Owner.user(ann))
    assert.deepStrictEqual(Principal.owner(caller(undefined, ["sessions:read"])), Owner.none)
    const named = Principal.owner(caller("boss", [Scope.defaultAdmin]), UserId.make("tenant:globex:ann"))
    assert.deepStrictEqual(named, Owner.user(UserId.make("tenant:acme:tenant:globex:ann")))
  })

  it("whatever its scopes are, a caller of a tenant has no rights for the service as a whole", () => {
    const all = [
      Scope.defaultAdmin,
      "roles:write",
      "agents:write",
      "agents:*:delete",
      "components:read",
      "sessions:write"
    ]
    const boss = caller("boss", all)
    const may = (scope: string) => Principal.may(boss, scope)
    for (const scope of ["roles:write", "agents:write", "agents:desk:delete", "components:read", Scope.defaultAdmin]) {
      assert.isFalse(may(scope), scope)
    }
    for (const scope of ["sessions:write", "agents:run", "agents:desk:read", "orders:write"]) {
      assert.isTrue(may(scope), scope)
    }
  })
})
