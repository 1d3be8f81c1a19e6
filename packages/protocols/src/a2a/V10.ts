// Version 1.0: the JSON of Protocol Buffers, on JSON-RPC and on HTTP.
import * as Json from "@svc-runtime/domain/Json"
import * as Time from "@svc-runtime/domain/Time"
import { Option, Result, Schema } from "effect"
import * as Decoding from "./Decoding.ts"
import { State } from "./Model.ts"
import type { Operation, Wire } from "./Operation.ts"
import * as Sending from "./Sending.ts"

const Id = Schema.Struct({ id: Decoding.ShortText })
const decodeId = Decoding.decoder(Id)
const decodeGet = Decoding.decoder(Schema.Struct({ ...Id.fields, historyLength: Decoding.HistoryLength }))
const decodeOf = Decoding.decoder(Schema.Struct({ taskId: Decoding.ShortText }))
const decodePush = Decoding.decoder(Schema.Struct({ taskId: Decoding.ShortText, id: Decoding.ShortText }))

const maxPage = 100
const defaultPage = 50

const List = Schema.Struct({
  contextId: Schema.optionalKey(Decoding.ShortText),
  status: Schema.optionalKey(State),
  pageSize: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(maxPage))
  ),
  pageToken: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1024))),
  historyLength: Decoding.HistoryLength,
  statusTimestampAfter: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter((text: string) => Option.isSome(Time.microsecondsOf(text)), {
      message: "Input should be a timestamp in ISO 8601"
    }))
  ),
  includeArtifacts: Schema.optionalKey(Schema.Boolean)
})
const decodeList = Decoding.decoder(List)

const list = (params: Json.Object): Decoding.Decoded<Operation> => {
  const { status, ...rest } = params
  const wanted = status === "TASK_STATE_UNSPECIFIED" || status === undefined ? rest : params
  return Result.map(decodeList(wanted, "params"), ({ includeArtifacts = false, pageSize = defaultPage, ...query }) => ({
    _tag: "List",
    query: { ...query, includeArtifacts, pageSize }
  }))
}

const setPush = (params: Json.Object): Decoding.Decoded<Operation> =>
  Result.gen(function*() {
    const { taskId } = yield* decodeOf(params, "params")
    const config = yield* Decoding.push10(params, "params")
    return { _tag: "SetPush", taskId, config }
  })

type Decode = (params: Json.Object) => Decoding.Decoded<Operation>

/** The methods of JSON-RPC. REST makes the same parameters of its paths and queries. */
export const methods: Readonly<Record<string, Decode>> = {
  SendMessage: (params) => Result.map(Sending.of10(params), (sending) => ({ _tag: "Send", sending })),
  SendStreamingMessage: (params) => Result.map(Sending.of10(params), (sending) => ({ _tag: "Stream", sending })),
  GetTask: (params) => Result.map(decodeGet(params, "params"), (get) => ({ _tag: "Get", ...get })),
  ListTasks: list,
  CancelTask: (params) => Result.map(decodeId(params, "params"), ({ id }) => ({ _tag: "Cancel", id })),
  SubscribeToTask: (params) => Result.map(decodeId(params, "params"), ({ id }) => ({ _tag: "Subscribe", id })),
  CreateTaskPushNotificationConfig: setPush,
  GetTaskPushNotificationConfig: (params) =>
    Result.map(decodePush(params, "params"), (push) => ({ _tag: "GetPush", ...push })),
  ListTaskPushNotificationConfigs: (params) =>
    Result.map(decodeOf(params, "params"), ({ taskId }) => ({ _tag: "ListPush", taskId })),
  DeleteTaskPushNotificationConfig: (params) =>
    Result.map(decodePush(params, "params"), (push) => ({ _tag: "RemovePush", ...push })),
  GetExtendedAgentCard: () => Result.succeed({ _tag: "Card" })
}

export const wire: Wire = {
  item: (item) => Json.of(item),
  reply: (reply) => {
    switch (reply._tag) {
      case "Task":
        return Json.of(reply.task)
      case "Sent":
        return { task: Json.of(reply.task) }
      case "Page":
        return Json.of(reply.page)
      case "Push":
        return Json.of(reply.config)
      case "Pushes":
        return { configs: reply.configs.map((config) => Json.of(config)), nextPageToken: "" }
      case "Card":
        return reply.card
      case "Nothing":
        return {}
    }
  }
}
