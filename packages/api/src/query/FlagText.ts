// A boolean in queries and forms: `true/false`, `1/0`, `yes/no`, `on/off`, `t/f`, `y/n`, in any case.
import { Schema, SchemaTransformation } from "effect"

const trueWords = ["true", "1", "yes", "on", "t", "y"]
const falseWords = ["false", "0", "no", "off", "f", "n"]

const isFlagText = Schema.makeFilter((text: string) => [...trueWords, ...falseWords].includes(text.toLowerCase()), {
  message: "Input should be a valid boolean, unable to interpret input",
  problem: "bool_parsing",
  // `OpenApiDocument` describes it as a boolean
  toJsonSchema: () => ({ format: "boolean" })
})

export const FlagText = Schema.String.check(isFlagText).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text: string) => trueWords.includes(text.toLowerCase()),
      encode: (flag: boolean) => String(flag)
    })
  )
)
