/**
 * The contracts of the ports: for authors of formats, executors, event sources, actions and calendar rules, and of stores, vaults, clocks and password
 * hashers. They need no test runner of their own: each clause is a title and a check.
 */
import '../node-version.ts';

export { type ActionUnderTest, actionContract, noticeOf } from './action-contract.ts';
export { type AuditArchiveUnderTest, auditArchiveContract } from './audit-archive-contract.ts';
export { type CalendarRuleFixture, calendarRuleContract } from './calendar-rule-contract.ts';
export { assert, type Clause } from './clause.ts';
export { clockContract } from './clock-contract.ts';
export { type EventSourceTraits, eventSourceContract } from './event-source/event-source-contract.ts';
export type { EventSourcesUnderTest } from './event-source/sources-under-test.ts';
export {
  attemptOf,
  type ExecutorTraits,
  type ExecutorUnderTest,
  executorContract,
  type TestProgram,
  type TestPrograms,
} from './executor-contract.ts';
export { type FormatTraits, formatContract } from './format-contract.ts';
export { passwordHasherContract } from './password-hasher-contract.ts';
export {
  type ActionFixture,
  defineFixtures,
  type EventSourceFixture,
  type ExecutorFixture,
  type PluginFixtures,
  pluginContract,
} from './plugin-contract.ts';
export { StandingClock } from './standing-clock.ts';
export { assertChanges, assertFinds } from './store/query-checks.ts';
export { type SampleRow, type StoreTraits, type StoreUnderTest, sampleTables } from './store/samples.ts';
export { storeContract } from './store/store-contract.ts';
export { assertDecrypts, type MakeVault, vaultContract } from './vault-contract.ts';
