import fc from 'fast-check';

/** Draws the usual value `times` times as often as the unusual one. */
export function mostly<T>(times: number, usual: T | fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const usualValues = usual instanceof fc.Arbitrary ? usual : fc.constant(usual);
  return fc.oneof({ weight: times, arbitrary: usualValues }, { weight: 1, arbitrary: unusual });
}
