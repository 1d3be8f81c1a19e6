// Approvals. Isolated callers read their own; the others can resolve and remove them.
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { ApprovalResumer } from "@svc-runtime/agents/runService/ApprovalResumer"
import * as EditedArguments from "@svc-runtime/agents/runService/EditedArguments"
import * as PendingCalls from "@svc-runtime/agents/runService/PendingCalls"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import { Approvals as Endpoints } from "@svc-runtime/api/Approvals"
import * as Approval from "@svc-runtime/domain/Approval"
import type * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Principal from "@svc-runtime/domain/Principal"
import { type ApprovalNotFound, ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { missing, orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect } from "effect"

const translated = {
  ApprovalNotFound: (error: ApprovalNotFound) => Effect.fail(missing("Approval", error.approval_id))
}

const log = (message: string, approval_id: Approval.Id, { credential, user_id }: Principal.Principal) =>
  Effect.annotateLogs(Effect.logInfo(message), { approval_id, actor: user_id ?? null, credential })

export const Approvals = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const approvals = yield* ApprovalStore
    const resumer = yield* ApprovalResumer
    const { agents } = yield* ReachedComponents.ofService
    const pendingCalls = yield* PendingCalls.make
    const edited = yield* EditedArguments.make

    /** Before it is stored: a person decides once. One that is not pending any more is refused by the store. */
    const checkResolution = Effect.fnUntraced(function*(
      id: Approval.Id,
      owner: Owner.Owner,
      resolution: Approval.ResolutionInput
    ) {
      const approval = yield* Effect.catchTags(approvals.get(id, owner, yield* now), translated)
      if (approval.status !== "pending") return
      const pending = yield* pendingCalls(approval)
      const problem = yield* Effect.catchTags(
        edited.problemOfApproval({ agents: [...agents.keys()], pending }, approval, resolution),
        { ContinueRejected: ({ message }) => Effect.fail(Errors.unavailable(message)) }
      )
      if (problem === undefined) return
      return yield* Errors.invalidValue(["body", "resolution_data"], problem.message, problem.needs)
    }, Effect.scoped)

    const read = Effect.fnUntraced(function*(id: Approval.Id) {
      return yield* Effect.catchTags(approvals.get(id, yield* RequestCaller.ownerOf(undefined), yield* now), translated)
    }, orUnavailable)

    return handlers.handleAll({
      list: Effect.fn("Approvals.list")(function*({ query }) {
        const { limit: _limit, page: _page, status, user_id, ...fields } = query
        const filter = { owner: yield* RequestCaller.ownerOf(user_id), status, fields }
        const { approvals: data, total } = yield* approvals.list(filter, query, yield* now)
        return Pagination.response(query, data, total)
      }, orUnavailable),
      count: Effect.fn("Approvals.count")(function*({ query }) {
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        return { count: yield* approvals.countPending(owner, yield* now) }
      }, orUnavailable),
      get: Effect.fn("Approvals.get")(({ params }) => read(params.approval_id)),
      status: Effect.fn("Approvals.status")(({ params }) =>
        Effect.map(read(params.approval_id), Approval.toStatusView)
      ),
      resolve: Effect.fn("Approvals.resolve")(function*({ params, payload }) {
        const principal = yield* CurrentPrincipal
        const owner = Approval.resolvableBy(principal)
        const resolution: Approval.ResolutionInput = {
          status: payload.status,
          resolved_by: principal.user_id ?? payload.resolved_by ?? null,
          resolution_data: payload.resolution_data ?? null
        }
        yield* checkResolution(params.approval_id, owner, resolution)
        const { approval, pendingResume } = yield* Effect.catchTags(
          approvals.resolve(params.approval_id, owner, resolution, yield* now),
          { ...translated, ApprovalNotPending: (error) => Effect.fail(Errors.conflict(error.message)) }
        )
        yield* log(`An approval was resolved as ${approval.status}`, approval.id, principal)
        yield* resumer.resume(pendingResume)
        return approval
      }, orUnavailable),
      remove: Effect.fn("Approvals.remove")(function*({ params }) {
        const principal = yield* CurrentPrincipal
        yield* Effect.catchTags(approvals.remove(params.approval_id, Approval.resolvableBy(principal)), translated)
        yield* log("An approval was deleted", params.approval_id, principal)
      }, orUnavailable)
    })
  })
)
