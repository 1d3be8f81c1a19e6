// The key of the jobs of a content: they are executed one after the other. Stores in a database make the same in SQL.
import type * as Knowledge from "./Knowledge.ts"

export const of = ({ content_id, instance }: Pick<Knowledge.Content, "content_id" | "instance">): string =>
  `${instance}\n${content_id}`
