// The service of a program that only runs its components. Requests come from the client of this process, through the
// handler of the routes that `serve` has, so checks, shapes and errors are the same. There is no port.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { type Kind, Svc, SvcError } from "@svc-runtime/client"
import * as Fnv1a from "@svc-runtime/domain/Fnv1a"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import { Schemas } from "@svc-runtime/engine/database/Schemas"
import { KeepsProcess } from "@svc-runtime/engine/node/KeepsProcess"
import * as Guest from "@svc-runtime/engine/run/engine/Guest"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { text } from "@svc-runtime/http/config/ConfigReaders"
import * as EnvironmentSettings from "@svc-runtime/http/config/EnvironmentSettings"
import * as Logging from "@svc-runtime/http/logging/Logging"
import { textOf } from "@svc-runtime/http/process/startFailure"
import * as Shutdown from "@svc-runtime/http/requests/Shutdown"
import * as Instruments from "@svc-runtime/telemetry/Instruments"
import { Cause, ConfigProvider, Context, Duration, Effect, Layer, Redacted, References } from "effect"
import { HttpRouter } from "effect/http"
import { hostname } from "node:os"
import { basename } from "node:path"
import * as Application from "../Application.ts"
import type { Parts } from "../application/ApplicationOptions.ts"
import * as ApplicationParts from "../application/ApplicationParts.ts"
import { type Config, read } from "../Config.ts"
import type * as DocumentReading from "../DocumentReading.ts"
import * as Routes from "../Routes.ts"
import * as Tracing from "../telemetry/Tracing.ts"
import { Components } from "./Components.ts"
import type { LocalOptions } from "./LocalOptions.ts"
import * as Made from "./Made.ts"

/** Only the client of this process uses it. */
const origin = "http://svc.local"

const off = <A extends { readonly enabled: boolean }>(protocol: A): A => ({ ...protocol, enabled: false })

/** The settings of a service, without authorization and protocols: the program may do everything. */
const settings = Effect.fnUntraced(function*(options: LocalOptions) {
  const config = yield* read(yield* ApplicationParts.featuresOf(options))
  const environment = yield* EnvironmentSettings.orInvalid(text("DATA_DIR"), yield* ConfigProvider.ConfigProvider)
  const level = yield* EnvironmentSettings.orInvalid(text("LOG_LEVEL"), yield* ConfigProvider.ConfigProvider)
  const { a2a, agui, chat, copilotkit, openai } = config.protocols
  // an idle process that has read a document keeps this one
  const reader: Config["reader"] & DocumentReading.Options["reader"] = (yield* KeepsProcess)
    ? config.reader
    : { ...config.reader, timeToLive: "1 second" }
  const local: Config = {
    ...config,
    host: "127.0.0.1",
    reader,
    authorization: {},
    console: false,
    docs: false,
    mcp: off(config.mcp),
    protocols: {
      ...config.protocols,
      a2a: off(a2a),
      agui: off(agui),
      chat: off(chat),
      copilotkit: off(copilotkit),
      openai: off(openai)
    },
    databaseUrl: options.dataDir === undefined
      ? options.databaseUrl === undefined ? config.databaseUrl : Redacted.make(options.databaseUrl)
      : undefined,
    dataDir: options.dataDir ?? environment ?? "memory",
    // nothing is lost at the end of the program: it waits for its runs
    drainTimeout: Duration.days(1),
    // the output of a program is its own
    logging: level === undefined
      ? { ...config.logging, levels: { ...config.logging.levels, other: "Warn" } }
      : config.logging
  }
  return local
})

/** The same at each start of the program. */
const programOf = ({ program }: LocalOptions): string => {
  const path = process.argv[1] ?? "program"
  return program ?? `${basename(path)}~${Fnv1a.of(path)}`
}

const component = /^\/(agent|team|workflow)s\/([^/]+)/

/** The service with the components that it has at one time. */
interface Generation {
  readonly size: number
  readonly handle: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
  calls: number
}

export interface LocalService {
  /** Calls the service in this process. */
  readonly client: Svc
  /** Returns why the component cannot be executed. */
  readonly add: (...component: Parameters<Components["add"]>) => SvcError | undefined
}

/** Called when a call of the client begins; the result is called when the last byte of its response is read. */
export type OnCall = () => () => void

const failure = (error: unknown): Response => {
  const detail = textOf(Cause.fail(error))
  return Response.json({ detail, error_code: "SERVICE_UNAVAILABLE" }, { status: 503 })
}

/** The response, whose end calls the function. */
const ending = ({ body, headers, status }: Response, end: () => void): Response => {
  if (body === null) {
    end()
    return new Response(null, { status, headers })
  }
  const reader = body.getReader()
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      reader.read().then(({ done, value }) => {
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      }).catch((error: unknown) => {
        end()
        throw error
      }),
    cancel: (reason) => {
      end()
      return reader.cancel(reason)
    }
  }, { highWaterMark: 0 })
  return new Response(stream, { status, headers })
}

const once = (call: () => void): () => void => {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    call()
  }
}

/**
 * The service, until the scope is closed, which waits for its runs. A component that is added later gives it a new
 * generation of routes and engines over the same database: what one executes, it ends.
 */
export const make = Effect.fnUntraced(function*(options: LocalOptions, onCall: OnCall = () => () => {}) {
  const config = yield* settings(options)
  const shutdown = Shutdown.make(config)
  const components = new Components()
  // a stored database can be that of a service
  const guest = config.databaseUrl === undefined && config.dataDir === "memory"
    ? undefined
    : Guest.make({ program: programOf(options), isShared: options.resumedBy === "service" })
  // the name of NODE_NAME can be that of the service
  const node = (guest === undefined ? config.node : undefined) ?? `${hostname()}:${process.pid}`
  const partsOf = (given: Pick<Application.Options, "agents" | "teams" | "workflows">) =>
    ApplicationParts.make({ ...options, ...given }, config, shutdown)
  const first = yield* partsOf({})
  const world = yield* Layer.build(
    Tracing.layer(config.traces, node, first.traces).pipe(
      Layer.provideMerge(Layer.mergeAll(
        Layer.succeed(Instruments.Instruments, Instruments.make([], first.prices)),
        Layer.succeed(References.TracerEnabled, false),
        Logging.layer(config.logging, node)
      ))
    )
  )
  const Storage = yield* ApplicationParts.storage
  const stores = yield* Layer.build(Storage.layer(config, first.features)).pipe(
    Effect.provideService(Schemas, first.schemas),
    Effect.provideService(CurrentDatabase, Ids.DatabaseId.make(first.databaseId)),
    Effect.provideContext(world)
  )
  const around = Context.merge(yield* Effect.context<never>(), world)
  const runPromise = Effect.runPromiseWith(around)

  /** Components of runs that the processes of this program before this one have left. */
  const addLeft = Effect.gen(function*() {
    for (const [kind, id] of guest === undefined ? [] : Made.unique()) {
      const filter = { owner: Owner.anyone, component: { kind, id } }
      const statuses = ["PENDING", "RUNNING", "PAUSED"] as const
      const { runs } = yield* Context.get(stores, RunStore).search({ filter, statuses, nodes: guest?.nodes, limit: 1 })
      if (runs.length > 0) components.addMade(kind, id)
    }
  })

  const begin = Effect.fnUntraced(function*(index: number) {
    if (index === 0) yield* Effect.ignore(addLeft)
    const parts: Parts = {
      ...yield* partsOf(components.listed()),
      schemas: first.schemas,
      traces: first.traces,
      guest,
      // the first run searches them
      awaitsFolders: true,
      node: guest === undefined ? index === 0 ? node : `${node}-${index}` : `${guest.nodes}${index}`,
      // the generation before may still execute runs
      isShared: first.isShared || index > 0,
      nodeTimeout: first.isShared ? first.nodeTimeout : undefined,
      hosts: undefined,
      shutdown: undefined,
      stopping: Shutdown.never
    }
    const app = Application.layerRoutes(parts).pipe(
      Layer.provide(Layer.succeedContext(stores)),
      Layer.provide(NodeHttpServer.layerHttpServices),
      Layer.provideMerge(Layer.succeedContext(around))
    )
    const { dispose, handler } = HttpRouter.toWebHandler(app, {
      disableLogger: true,
      routerConfig: Routes.routerConfig
    })
    const generation: Generation = { size: components.size, handle: handler, close: dispose, calls: 0 }
    // it is built by its first request
    yield* Effect.promise(() => handler(new Request(`${origin}/health`)))
    return generation
  })

  let generations: ReadonlyArray<Generation> = []
  let count = 0
  let beginning: Promise<Generation> | undefined

  const closeUnused = () => {
    const unused = generations.slice(0, -1).filter(({ calls }) => calls === 0)
    generations = generations.filter((generation) => !unused.includes(generation))
    return Promise.all(unused.map(({ close }) => close()))
  }

  const begun = (): Promise<Generation> =>
    beginning ??= runPromise(begin(count++)).then(
      (generation) => {
        generations = [...generations, generation]
        void closeUnused()
        return generation
      }
    ).catch((error: unknown) => {
      // what was there before can be executed
      components.keepFirst(generations.at(-1)?.size ?? 0)
      throw error
    }).finally(() => {
      beginning = undefined
    })

  /** The newest one, which has all components. */
  const current = (): Promise<Generation> => {
    const last = generations.at(-1)
    if (last !== undefined && last.size === components.size) return Promise.resolve(last)
    return begun().then(current)
  }

  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    const [, kind, id] = component.exec(new URL(request.url).pathname) ?? []
    if (kind !== undefined && id !== undefined) components.addMade(kind as Kind, decodeURIComponent(id))
    const ended = onCall()
    return current().then((generation) => {
      generation.calls++
      const end = once(() => {
        generation.calls--
        ended()
        void closeUnused()
      })
      request.signal.addEventListener("abort", end, { once: true })
      return generation.handle(request).then(
        (response) => ending(response, end),
        (error: unknown) => {
          end()
          throw error
        }
      )
    }, (error: unknown) => {
      ended()
      return failure(error)
    })
  }

  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(generations.map(({ close }) => close()))))
  const local: LocalService = {
    client: new Svc({ baseUrl: origin, retries: 0, fetch: send }),
    add: (kind, component) => {
      const problem = components.add(kind, component)
      if (problem === undefined) return undefined
      return new SvcError(409, { detail: problem, error_code: "CONFLICT" }, new Headers())
    }
  }
  return local
})
