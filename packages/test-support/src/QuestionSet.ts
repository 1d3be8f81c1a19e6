// Fifty short documents of a company and a question about each. The recall of a search is the share of the questions
// whose document it finds among the first five. The demo embedder makes the vectors.
import * as KnowledgeFilter from "@svc-runtime/domain/KnowledgeFilter"
import * as Owner from "@svc-runtime/domain/Owner"
import { ChunkStore, type Sought } from "@svc-runtime/features/knowledge/ChunkStore"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import * as Knowledge from "@svc-runtime/features/knowledge/Knowledge"
import { DemoEmbedder } from "@svc-runtime/models"
import { Effect } from "effect"

/** The text of a document, and the question. */
const pairs: ReadonlyArray<readonly [document: string, question: string]> = [
  [
    "Everybody has thirty days of holiday a year. Ten of them can be moved into the next year.",
    "How many days of holiday does everybody have?"
  ],
  [
    "Sick employees call their lead before nine. After three days a doctor's note is needed.",
    "When is a note of a doctor needed?"
  ],
  ["Parental leave lasts up to fourteen months. Announce it seven weeks before.", "How long is parental leave?"],
  ["Overtime is paid out in March, or taken as free time in the same quarter.", "When is overtime paid out?"],
  ["Salaries arrive on the 27th of each month. The payslip is in the portal.", "Where do I find my payslip?"],
  ["A bonus is agreed in January and depends on the goals of the team.", "What does the bonus depend on?"],
  ["Interns work at most six months and have a mentor of another team.", "Who is the mentor of interns?"],
  [
    "New colleagues get a laptop, a key and a badge on their first day at the reception in Bern.",
    "What do new colleagues get on their first day?"
  ],
  ["A lost badge is blocked by the security desk, telephone 4711, at any hour.", "Who blocks a lost badge?"],
  ["Visitors sign in at the reception and wear a yellow sticker.", "What colour is the sticker of visitors?"],
  [
    "Trains are booked by the travel office. First class is allowed for trips of over three hours.",
    "When is first class allowed on trains?"
  ],
  [
    "Flights within the country are not paid. Abroad they need the approval of a director.",
    "Whose approval do flights abroad need?"
  ],
  ["Hotels may cost up to 140 euros a night, and 180 euros in London and Zurich.", "What may a hotel in Zurich cost?"],
  [
    "For a private car the company pays 30 cents for each kilometre.",
    "How much is paid for a kilometre with a private car?"
  ],
  ["Receipts are sent in by the end of the following month, with the form T-12.", "Which form is for receipts?"],
  [
    "Company bicycles are in the cellar of the Cologne office. The lock code changes on Mondays.",
    "Where are the company bicycles?"
  ],
  ["Parking spaces are given out by lot every six months.", "How are parking spaces given out?"],
  [
    "The canteen serves lunch from 11:30 to 14:00. On Fridays there is fish.",
    "What does the canteen serve on Fridays?"
  ],
  [
    "Coffee is free. The machine on the second floor is cleaned by the team of the week.",
    "Who cleans the coffee machine on the second floor?"
  ],
  [
    "The fire drill is in May and November. The meeting point is the car park behind the building.",
    "Where is the meeting point of the fire drill?"
  ],
  ["First-aid kits hang beside each kitchen. Ms Okafor refills them.", "Who refills the first-aid kits?"],
  [
    "Passwords have at least sixteen characters and are kept in the vault program.",
    "How many characters has a password?"
  ],
  [
    "The wireless network for guests is called Lighthouse, and its password is on the screen of each room.",
    "What is the wireless network of guests called?"
  ],
  ["A suspicious mail is forwarded to phish@example.com and then deleted.", "Where is a suspicious mail forwarded to?"],
  ["Laptops are replaced after four years. Old ones can be bought for 90 euros.", "What does an old laptop cost?"],
  [
    "The help desk answers from seven to nineteen o'clock. Outside of these hours write a ticket.",
    "From when to when does the help desk answer?"
  ],
  ["Backups run at two in the night and are kept for thirty-five days.", "How long are backups kept?"],
  [
    "Databases are restored by the platform team only. A restore of production takes about fifty minutes.",
    "How long does a restore of production take?"
  ],
  [
    "Releases happen on Tuesdays and Thursdays before noon. There are none in the last two weeks of December.",
    "On which days do releases happen?"
  ],
  [
    "Each change needs one review. Changes of payment code need two, one of them from the finance engineers.",
    "How many reviews does a change of payment code need?"
  ],
  ["Error code E-1042 means that the printer has no toner. Cartridges are in cupboard B.", "What does E-1042 mean?"],
  ["Error code E-2077 means that the scanner is locked. Turn the red lever to the left.", "What do I do after E-2077?"],
  [
    "Pump station Alder runs at 2,900 revolutions. Its filter is changed each quarter.",
    "How often is the filter of pump station Alder changed?"
  ],
  ["Pump station Birch runs at 1,450 revolutions. Its oil is of the grade 46.", "Which oil has pump station Birch?"],
  ["Valve V7 is opened before valve V9. In the other order the pipe bursts.", "Which valve is opened before V9?"],
  ["The boiler is inspected by an engineer of the insurance in autumn.", "Who inspects the boiler?"],
  [
    "Customers can return lamps within sixty days if the box is not damaged.",
    "Within how many days can lamps be returned?"
  ],
  [
    "Chairs have a guarantee of five years, and ten years for their frames.",
    "How long is the guarantee of the frames of chairs?"
  ],
  [
    "Orders over 200 euros are delivered without charge. Below that a delivery costs 9.90 euros.",
    "From which amount is an order delivered without charge?"
  ],
  ["Complaints get an answer within two working days, by the person who took the order.", "Who answers complaints?"],
  ["Invoices are due after twenty-one days. The first reminder is free of charge.", "When are invoices due?"],
  [
    "The warehouse in Gdansk ships to the north, and the one in Lyon to the south.",
    "Where does the warehouse in Lyon ship to?"
  ],
  ["The museum opens at ten and closes at six, and on Mondays it is closed.", "On which day is the museum closed?"],
  ["The oldest clock of the collection was built in 1542 by a smith of Augsburg.", "When was the oldest clock built?"],
  ["A ticket costs eight euros. Children under twelve enter for free.", "What does a ticket cost?"],
  ["Bees are kept on the roof. The honey is given to guests at Christmas.", "Where are the bees kept?"],
  ["The choir rehearses on Wednesdays in room Vivaldi.", "In which room does the choir rehearse?"],
  ["The football team wears green and lost the cup of 2024.", "Which colour does the football team wear?"],
  [
    "The founders, Marta Lindqvist and Jo Abe, met at a harbour in 1988.",
    "Who founded the company and met at a harbour?"
  ],
  [
    "The library lends books for four weeks. Dictionaries stay in the reading room.",
    "How long are books lent by the library?"
  ]
]

/** How many results of a search count. */
const first = 5

const instance = (name: string) => `questions ${name}`

const store = Effect.fnUntraced(function*(name: string) {
  const [contents, chunks] = [yield* ContentStore, yield* ChunkStore]
  const texts = pairs.map(([document]) => document)
  const vectors = yield* DemoEmbedder.embedder.embedMany(texts)
  const content = yield* contents.put(
    {
      instance: instance(name),
      content_id: Knowledge.ContentId.make(name),
      user_id: null,
      name: null,
      description: null,
      type: null,
      size: null,
      metadata: null,
      origin: null,
      digest: null
    },
    {},
    0
  )
  yield* chunks.add(
    content,
    embedding,
    texts.map((text, place): Knowledge.EmbeddedChunk => ({
      id: `${place}`,
      name: null,
      text,
      metadata: {},
      index: place + 1,
      size: text.length,
      vector: vectors[place] ?? null
    }))
  )
  yield* chunks.publish(content)
  yield* contents.finish(content, { status: "completed", status_message: "" }, 0)
})

const embedding: Knowledge.Embedding = {
  model: DemoEmbedder.embedder.id,
  dimensions: DemoEmbedder.embedder.dimensions ?? 0
}

const shareOf = Effect.fnUntraced(function*(
  name: string,
  soughtOf: (text: string, vector: Float32Array) => Sought
) {
  const chunks = yield* ChunkStore
  const vectors = yield* DemoEmbedder.embedder.embedMany(pairs.map(([, question]) => question))
  let found = 0
  for (const [place, [, question]] of pairs.entries()) {
    const results = yield* chunks.search({
      instance: instance(name),
      owner: Owner.anyone,
      filter: KnowledgeFilter.everything,
      limit: first,
      sought: soughtOf(question, vectors[place] ?? new Float32Array())
    })
    if (results.some(({ chunk }) => chunk.id === `${place}`)) found += 1
  }
  return found / pairs.length
})

export interface Recalls {
  readonly vector: number
  readonly keyword: number
  readonly hybrid: number
}

/** Of each way to search. `name` is that of no other set in the stores. */
export const recalls = Effect.fnUntraced(function*(name: string) {
  yield* store(name)
  const found: Recalls = {
    vector: yield* shareOf(name, (_, vector) => ({ _tag: "Vector", vector, embedding })),
    keyword: yield* shareOf(name, (text) => ({ _tag: "Keyword", text })),
    hybrid: yield* shareOf(name, (text, vector) => ({ _tag: "Hybrid", text, vector, embedding }))
  }
  return found
})
