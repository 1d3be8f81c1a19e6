// Knowledge: the contents that agents search. An isolated caller reads its own contents and those without an owner, and
// changes only its own, unless the author shares the knowledge.
import { Embedder } from "@svc-runtime/agents/Models"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Tenant from "@svc-runtime/domain/Tenant"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { now } from "@svc-runtime/engine/now"
import * as CallerKey from "@svc-runtime/http/authorization/CallerKey"
import type { Read } from "@svc-runtime/http/forms/FormBody"
import * as FormFields from "@svc-runtime/http/forms/FormFields"
import { Forms } from "@svc-runtime/http/forms/Forms"
import { group } from "@svc-runtime/http/group"
import * as IdempotencyKey from "@svc-runtime/http/idempotency/IdempotencyKey"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { notListed, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Result } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ContentSource from "./ContentSource.ts"
import { type ContentKey, ContentStore } from "./ContentStore.ts"
import * as ContentStoring from "./ContentStoring.ts"
import type * as ContentUpload from "./ContentUpload.ts"
import * as DeclaredFolders from "./DeclaredFolders.ts"
import { DocumentReading } from "./DocumentReading.ts"
import * as FolderJob from "./FolderJob.ts"
import * as Content from "./Knowledge.ts"
import { Knowledge as Endpoints } from "./KnowledgeApi.ts"
import type * as KnowledgeConfig from "./KnowledgeConfig.ts"
import * as KnowledgeForm from "./KnowledgeForm.ts"
import { type Choice, type Instance, KnowledgeRegistry } from "./KnowledgeRegistry.ts"
import { configOf, messageOf, recordOf } from "./knowledgeResponses.ts"
import { KnowledgeSearch } from "./KnowledgeSearch.ts"
import type { KnowledgeSearchRequest } from "./KnowledgeSearchRequest.ts"
import { KnowledgeStores, type Stores } from "./KnowledgeStores.ts"
import * as RemoteFolder from "./RemoteFolder.ts"

const chooseFrom = (registry: KnowledgeRegistry["Service"]) => ({ db_id, knowledge_id }: Choice) =>
  registry.choose({ db_id, knowledge_id }).pipe(
    Effect.catchTags({
      KnowledgeNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
      KnowledgeNotChosen: (error) => Effect.fail(Errors.badRequest(error.message))
    })
  )

/** Whose contents the caller reads and changes. */
const ownerIn = ({ knowledge: { isolation } }: Instance) =>
  CurrentPrincipal.useSync((principal) => {
    const { isIsolated, seesTenant, tenant } = principal
    // what the tenant shares, and not what each of its users has
    if (tenant !== undefined && (seesTenant === true || isolation === "shared")) {
      return Owner.user(Tenant.itself(tenant))
    }
    return isIsolated && isolation === "user" ? Principal.owner(principal) : Owner.anyone
  })

/** The owner of a new content. */
const newOwnerIn = Effect.fnUntraced(function*(instance: Instance) {
  const owner = yield* ownerIn(instance)
  if (owner._tag === "None") return yield* Errors.forbidden("A caller without a user cannot store contents")
  const { tenant } = yield* CurrentPrincipal
  if (tenant !== undefined && instance.knowledge.isolation === "shared") {
    return yield* Errors.forbidden(
      "All tenants share this knowledge, so a caller of one cannot store contents. Store them in knowledge with " +
        "isolation: \"user\""
    )
  }
  return owner._tag === "User" ? owner.user_id : null
})

const invalidField = (field: string, msg: string) =>
  Effect.fail(Errors.invalid([{ loc: ["body", field], msg, type: "value_error" }]))

const accepted = (content: Content.Record) => HttpServerResponse.jsonUnsafe(content, { status: 202 })

interface Storing {
  readonly upload: Omit<ContentUpload.Upload, "user_id">
  /** How the files of a folder are stored. */
  readonly folder?: FolderJob.FolderSettings | undefined
}

export const Knowledge = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseFrom(yield* KnowledgeRegistry)
    const [forms, reading, stores] = [yield* Forms, yield* DocumentReading, yield* KnowledgeStores]
    const { search } = yield* KnowledgeSearch
    const idempotency = yield* IdempotencyStore

    /** The knowledge base of a request, its stores, and whose contents the caller touches. */
    const chosen = Effect.fnUntraced(function*(choice: Choice) {
      const instance = yield* choose(choice)
      return { instance, owner: yield* ownerIn(instance), ...yield* stores.of(instance) }
    })

    const storeOnce = Effect.fnUntraced(function*(
      instance: Instance,
      request: HttpServerRequest.HttpServerRequest,
      { fingerprint, form: { folder, upload } }: Pick<Read<Storing>, "fingerprint" | "form">
    ) {
      const options = { ...yield* stores.of(instance), idempotency, instance, waitingUploads: stores.waitingUploads }
      const { content, stored } = yield* ContentStoring.storeOnce(options, {
        upload: { ...upload, user_id: yield* newOwnerIn(instance) },
        folder,
        caller: yield* CallerKey.ofRequest(request),
        isLimited: yield* CurrentPrincipal.useSync(({ isIsolated }) => isIsolated),
        key: yield* IdempotencyKey.read(request, `${instance.id} ${fingerprint}`)
      }).pipe(
        Effect.catchTags({
          ContentExists: (error) => Effect.fail(Errors.conflict(error.message)),
          ContentNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
          IdempotencyKeyReused: (error) => Effect.fail(IdempotencyKey.reused(error)),
          TooManyUploads: (error) => Effect.fail(Errors.tooManyRequests(error.message))
        })
      )
      if (stored !== undefined) return Content.toRecord(stored)
      // the response is one of an upload, as clients expect it, and the id is that of no content
      yield* FormFields.warn(["The request has no file, text_content or url, so nothing is stored."])
      return recordOf(content)
    })

    const upload = (choice: Choice, request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(choose(choice), (instance) =>
        forms.using(
          request,
          KnowledgeForm.content(instance.knowledge, reading.of(instance.knowledge)),
          ({ fingerprint, form }) =>
            Effect.map(storeOnce(instance, request, { fingerprint, form: { upload: form } }), accepted)
        ))

    const uploadRemote = (choice: Choice, request: HttpServerRequest.HttpServerRequest) =>
      Effect.flatMap(
        choose(choice),
        (instance) =>
          forms.using(
            request,
            KnowledgeForm.remote(instance.knowledge, reading.of(instance.knowledge)),
            Effect.fnUntraced(function*({ fingerprint, form: { path, remote, source, upload } }) {
              const isFolder = path.endsWith("/")
              if (isFolder && source.folder === undefined) {
                return yield* Errors.badRequest(`Config ${source.id} does not support folder uploads`)
              }
              const folder = isFolder ? FolderJob.folderSettingsOf(instance, remote, upload) : undefined
              return accepted(yield* storeOnce(instance, request, { fingerprint, form: { folder, upload } }))
            })
          )
      )

    /** A folder of the code, and its files, are changed there. */
    const changeable = Effect.fnUntraced(function*({ contents }: Pick<Stores, "contents">, key: ContentKey) {
      const content = yield* ContentStore.found(contents, key)
      if (content !== undefined && (yield* DeclaredFolders.has(content))) {
        return yield* Errors.conflict("The content is in a folder of the code of the service. Change it there")
      }
    })

    const update = (
      choice: Choice & { readonly content_id: Content.ContentId },
      request: HttpServerRequest.HttpServerRequest
    ) =>
      Effect.flatMap(chosen(choice), ({ chunks, contents, instance, owner }) =>
        forms.using(
          request,
          KnowledgeForm.patch(reading.of(instance.knowledge)),
          Effect.fnUntraced(function*({ form }) {
            const key = { instance: instance.name, content_id: choice.content_id, owner }
            yield* changeable({ contents }, key)
            const changed = yield* contents.patch(key, form, yield* now).pipe(
              Effect.catchTags({
                ContentNotFound: (error) => Effect.fail(Errors.notFound(error.message)),
                MetadataTooLarge: () => Effect.fail(KnowledgeForm.metadataTooLong)
              })
            )
            yield* chunks.update(changed)
            return JsonResponse.of(Content.toRecord(changed))
          })
        ))

    const found = Effect.fnUntraced(function*(choice: Choice & { readonly content_id: Content.ContentId }) {
      const { contents, instance, owner } = yield* chosen(choice)
      return yield* contents.get({ instance: instance.name, content_id: choice.content_id, owner })
    })

    /** The choice is in the body, or in the query as for all other requests. */
    const searched = Effect.fnUntraced(function*(payload: KnowledgeSearchRequest, choice: Choice, caller: string) {
      const { filters, max_results, search_type, vector_db_ids } = payload
      const instance = yield* choose({
        db_id: payload.db_id ?? choice.db_id,
        knowledge_id: payload.knowledge_id ?? choice.knowledge_id
      })
      if (vector_db_ids !== undefined && vector_db_ids !== null && !vector_db_ids.includes(instance.id)) {
        return yield* Errors.badRequest(
          `None of the provided Vector DB IDs [${
            vector_db_ids.map((id) => `'${id}'`).join(", ")
          }] match the knowledge ` +
            `base Vector DB ID ${instance.id}`
        )
      }
      const filter = filters === undefined || filters === null ? undefined : KnowledgeFilter.parse(filters)
      if (filter !== undefined && Result.isFailure(filter)) return yield* invalidField("filters", filter.failure)
      const begun = yield* Monotonic.millis
      const results = yield* search(instance, {
        text: payload.query,
        owner: yield* ownerIn(instance),
        searchType: search_type ?? undefined,
        maxResults: max_results ?? undefined,
        filter: filter?.success
      }).pipe(
        Embedder.calledBy(caller),
        Effect.catchTags({
          SearchRejected: ({ message }) => invalidField("query", message),
          EmbeddingMismatch: ({ message }) => Effect.fail(Errors.conflict(message)),
          RerankingFailed: ({ message }) => Effect.fail(Errors.unavailable(`The search failed: ${message}`)),
          EmbeddingFailed: ({ message }) => Effect.fail(Errors.unavailable(`The search failed: ${message}`))
        })
      )
      const request = payload.meta ?? { page: 1, limit: 20 }
      const page = Pagination.slice(request, results).map((result) => Content.toSearchResult(result, instance.name))
      const { data, meta } = Pagination.response(request, page, results.length)
      return JsonResponse.of({ data, meta: { ...meta, search_time_ms: (yield* Monotonic.millis) - begun } })
    }, orUnavailable)

    return handlers.handleAll({
      list: Effect.fn("Knowledge.list")(function*({ query }) {
        const { contents, instance, owner } = yield* orUnavailable(chosen(query))
        const by = query.sort_by === "id" ? "content_id" : query.sort_by
        const { contents: page, total } = yield* Effect.mapError(
          contents.list({ instance: instance.name, owner }, query, { by, order: query.sort_order }),
          notListed
        )
        return JsonResponse.of(Pagination.response(query, page.map(Content.toRecord), total))
      }),
      get: Effect.fn("Knowledge.get")(function*({ params, query }) {
        const content = yield* found({ ...params, ...query }).pipe(
          Effect.catchTag("ContentNotFound", (error) => Effect.fail(Errors.notFound(error.message)))
        )
        return Content.toRecord(content)
      }, orUnavailable),
      remove: Effect.fn("Knowledge.remove")(function*({ params: { content_id }, query }) {
        const { chunks, contents, instance, owner } = yield* chosen(query)
        const key = { instance: instance.name, content_id, owner }
        yield* changeable({ contents }, key)
        const { count, files, generation } = yield* contents.remove(key)
        if (count > 0) yield* chunks.remove({ ...key, generation })
        yield* Effect.forEach(files, (content_id) => chunks.remove({ ...key, content_id, generation }), {
          discard: true
        })
        return { id: content_id }
      }, orUnavailable),
      removeAll: Effect.fn("Knowledge.removeAll")(function*({ query }) {
        const { chunks, contents, instance, owner } = yield* chosen(query)
        const key = { instance: instance.name, owner }
        const { generation } = yield* contents.removeAll(key)
        if (generation > 0) yield* chunks.remove({ ...key, content_id: undefined, generation })
        return "success" as const
      }, orUnavailable),
      status: Effect.fn("Knowledge.status")(function*({ params, query }) {
        return yield* found({ ...params, ...query }).pipe(
          Effect.map((content): KnowledgeConfig.ContentStatus => ({
            id: content.content_id,
            status: content.status,
            status_message: messageOf(content)
          })),
          Effect.catchTag(
            "ContentNotFound",
            () =>
              Effect.succeed({ id: params.content_id, status: "failed" as const, status_message: "Content not found" })
          )
        )
      }, orUnavailable),
      search: ({ payload, query, request }) =>
        Effect.flatMap(CallerKey.ofRequest(request), (caller) => searched(payload, query, caller)),
      config: Effect.fn("Knowledge.config")(function*({ query }) {
        const { contents, instance, owner } = yield* chosen(query)
        return configOf(
          reading.of(instance.knowledge),
          instance,
          yield* contents.metadataKeys({ instance: instance.name, owner })
        )
      }, orUnavailable),
      listSources: Effect.fn("Knowledge.listSources")(function*({ params }) {
        const { knowledge } = yield* choose(params)
        return knowledge.sources.map(ContentSource.toWire)
      }),
      listFiles: Effect.fn("Knowledge.listFiles")(function*({ params, query }) {
        const { knowledge } = yield* choose(params)
        const source = knowledge.sources.find(({ id }) => id === params.source_id)
        if (source === undefined) return yield* Errors.notFound(`Content source not found: ${params.source_id}`)
        return yield* RemoteFolder.pageOf(source, query)
      })
    }).handleRaw("upload", ({ query, request }) => orUnavailable(upload(query, request)))
      .handleRaw("uploadRemote", ({ query, request }) => orUnavailable(uploadRemote(query, request)))
      .handleRaw("update", ({ params, query, request }) => orUnavailable(update({ ...params, ...query }, request)))
  })
)
