// How many cases a random test tries: few in each run of the tests, many with SVC_TEST_CASES=many.

export const randomCases = (few: number, many: number): number => process.env.SVC_TEST_CASES === "many" ? many : few
