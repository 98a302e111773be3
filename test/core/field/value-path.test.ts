import { expect } from 'chai';
import { withValuesAt } from '#core/field/value-path';

describe('withValuesAt', () => {
  it('changes values at their paths, and leaves the data itself as it is', () => {
    const data = { a: { b: 1, c: [{ d: 2 }, 3] }, e: { f: 4 } };
    const changed = withValuesAt(data, [
      [['a', 'b'], 10],
      [['a', 'c', 0, 'd'], 20],
      [['a', 'c', 1], 30],
    ]);
    expect(changed).to.deep.equal({ a: { b: 10, c: [{ d: 20 }, 30] }, e: { f: 4 } });
    expect(data).to.deep.equal({ a: { b: 1, c: [{ d: 2 }, 3] }, e: { f: 4 } });
    expect(changed.e).to.equal(data.e);
    expect(withValuesAt(data, [])).to.equal(data);
  });

  it('copies an object once, however many of its values change: a credential has up to a thousand', () => {
    let copies = 0;
    const values = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`KEY_${index}`, 'plain']));
    const counted = new Proxy(values, {
      ownKeys(target) {
        copies += 1;
        return Reflect.ownKeys(target);
      },
    });
    const changes = Object.keys(values).map((key) => [['values', key], 'encrypted'] as const);
    const changed = withValuesAt({ values: counted }, changes);
    expect(new Set(Object.values(changed.values))).to.deep.equal(new Set(['encrypted']));
    expect(copies).to.equal(1);
  });
});
