import { assert, type Clause, clauseList } from '../clause.ts';
import type { StoreUnderTest } from './samples.ts';

/** What hints between processes promise. */
export function hintClauses(current: () => StoreUnderTest): readonly Clause[] {
  const { clauses, clause } = clauseList();

  clause('a hint reaches every other process that listens, and not the one that sends it', async () => {
    const { hints } = current().store;
    assert(hints !== undefined, 'A store with the trait hints must have hints');
    const received = [0, 0, 0];
    const reached = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const open = received.map((_, index) =>
      hints.open(() => {
        received[index] = (received[index] ?? 0) + 1;
        reached[index]?.resolve();
      }),
    );
    try {
      // Hints that are sent before all listen are lost.
      const sending = setInterval(() => open[0]?.send(), 20);
      await Promise.all([reached[1]?.promise, reached[2]?.promise]).finally(() => clearInterval(sending));
      assert(received[0] === 0, 'The process that sends a hint must not be called back', received[0]);
    } finally {
      await Promise.all(open.map((each) => each.close()));
    }
  });

  clause('closed hints call no process back', async () => {
    const { hints } = current().store;
    assert(hints !== undefined, 'A store with the trait hints must have hints');
    let called = 0;
    const closed = hints.open(() => {
      called += 1;
    });
    await closed.close();
    closed.send();
    const reached = Promise.withResolvers<void>();
    const [sender, listener] = [hints.open(() => undefined), hints.open(() => reached.resolve())];
    const sending = setInterval(() => sender.send(), 20);
    await reached.promise.finally(() => clearInterval(sending));
    await Promise.all([sender.close(), listener.close()]);
    assert(called === 0, 'Hints that are closed must not call back', called);
  });

  return clauses;
}
