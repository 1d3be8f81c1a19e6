// Webhooks that the code of the application declares. Their secrets come from its configuration.
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as CallSecret from "@svc-runtime/http/calls/CallSecret"
import { CallSender } from "@svc-runtime/http/calls/CallSender"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { Effect, Option, Redacted, Result } from "effect"
import { DeclarationRefused, decoderOf, type Item, type Kind, redacted, sha256 } from "../declarations/Declaration.ts"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as Webhook from "./Webhook.ts"
import { overlap, sealer, Webhooks } from "./Webhooks.ts"
import { WebhookLimits } from "./WebhookSettings.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface Declaration {
  /** Identifies it in the code and in the log. Receivers do not see it. */
  readonly name: string
  /** The address that is called. */
  readonly url: string
  /** The types of events, such as `run.failed`. At least one. */
  readonly events: ReadonlyArray<Webhook.EventType>
  /** From the environment: `whsec_` and 24 to 64 bytes in base64. `echo whsec_$(openssl rand -base64 32)` makes one. */
  readonly secret: string | Redacted.Redacted | undefined
  /** Only the events of this agent, team or workflow. */
  readonly component?: DeclaredComponent.Component | undefined
  /** What it is for. Default: its name. */
  readonly description?: string | undefined
}

const decode = decoderOf(Webhook.Create)

export const kind = Effect.fnUntraced(function*(declared: ReadonlyArray<Declaration>) {
  const [store, { follow }, sender, newId] = [yield* WebhookStore, yield* Webhooks, yield* CallSender, yield* NewId]
  const { room } = yield* WebhookLimits
  const secrets = yield* Secrets
  const sealed = sealer(secrets)
  const problems: Array<string> = []
  const items: Array<Item> = []

  for (const { component, description, events, name, url, ...given } of declared) {
    const subject = `The webhook '${name}'`
    const secret = redacted(given.secret)
    const fields: Json.Object = {
      url,
      events,
      description: description ?? name,
      component: component === undefined ? null : { ...DeclaredComponent.refOf(component) }
    }
    if (secret === undefined || !CallSecret.isSecret(secret)) {
      problems.push(
        `${subject} needs a secret of whsec_ and 24 to 64 bytes in base64, from the environment: ` +
          "echo whsec_$(openssl rand -base64 32) makes one"
      )
    }
    const decoded = decode(fields)
    if (Result.isFailure(decoded)) {
      problems.push(`${subject}: ${decoded.failure}`)
      continue
    }
    const make = (id: string, at: number) =>
      Webhook.make(decoded.success, { at, id: Webhook.Id.make(id), user_id: null })
    const refused = yield* Effect.result(sender.check(url))
    if (Result.isFailure(refused)) problems.push(`${subject}: ${refused.failure.message}`)
    const problem = Webhook.problemOf(make("", 0))
    if (problem !== undefined) problems.push(`${subject}: ${problem}`)
    if (secret === undefined) continue
    items.push({
      name,
      content: { ...fields, secret: sha256(Redacted.value(secret)) },
      create: Effect.gen(function*() {
        const webhook = make(newId(), yield* now)
        if (!(yield* store.create(webhook, yield* sealed(webhook.id, secret), room))) {
          return yield* new DeclarationRefused({
            message: `${subject} is one too many: at most ${room.all} (MAX_WEBHOOKS)`
          })
        }
        return webhook.id
      }),
      change: Effect.fnUntraced(function*(given) {
        const [id, at] = [Webhook.Id.make(given), yield* now]
        const target = yield* store.target(id, at)
        if (Option.isNone(target)) return Option.none()
        const { component = null, description = null, events, url } = decoded.success
        yield* store.patch(id, Owner.anyone, { component, description, events, url }, at)
        const [current] = target.value.secrets
        // one that cannot be opened is replaced
        const opened = current === undefined
          ? Option.none()
          : yield* Effect.option(secrets.open(Webhook.rowOf(id), Redacted.value(current)))
        if (Option.isNone(opened) || Redacted.value(opened.value) !== Redacted.value(secret)) {
          yield* store.rotate(id, Owner.anyone, { secret: yield* sealed(id, secret), previousUntil: at + overlap, at })
        }
        return Option.some(given)
      })
    })
  }

  const kind: Kind = {
    kind: "webhook",
    items,
    problems,
    remove: (id) => Effect.as(store.remove(Webhook.Id.make(id), Owner.anyone), true),
    changed: follow
  }
  return [kind]
})
