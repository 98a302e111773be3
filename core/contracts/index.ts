/**
 * The contracts of the ports that plugins implement, for authors of formats, executors and event sources. They need no test runner of
 * their own: each clause is a title and a check.
 */
import '../node-version.ts';

export { assert, type Clause } from './clause.ts';
export { type EventSourcesUnderTest, eventSourceContract } from './event-source-contract.ts';
export {
  attemptOf,
  type ExecutorTraits,
  type ExecutorUnderTest,
  executorContract,
  type TestProgram,
  type TestPrograms,
} from './executor-contract.ts';
export { type FormatTraits, formatContract } from './format-contract.ts';
