import fc from 'fast-check';

/** Nearly always the usual one: once in that many times the odd one. */
export function mostly<T>(times: number, usual: T | fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const first = usual instanceof fc.Arbitrary ? usual : fc.constant(usual);
  return fc.oneof({ weight: times, arbitrary: first }, { weight: 1, arbitrary: odd });
}
