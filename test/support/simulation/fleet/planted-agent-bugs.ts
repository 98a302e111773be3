import type { Query, Tables } from '@horarium/core';
import type { ReportedEvent, ReportOutcome } from '@horarium/core/plugin';
import type { AgentAttempts } from '#core/agent/agent-attempts';
import { AgentLease, type AgentLeaseRow } from '#core/agent/agent-lease';
import { required } from '#core/store/rows';
import { withBuggyTable } from '../planted-bugs.ts';

/** What can be wrong with agents, with the hosts that serve them, or with the ledger. */
export type AgentBug =
  | 'starts late answers'
  | 'hides abandoned claims'
  | 'outlives its lease'
  | 'starts before that is reported'
  | 'acknowledges before the commit'
  | 'ends leases before it reads reports'
  | 'renews by the time of arrival'
  | 'stores reports again'
  | 'stores early reports'
  | 'releases what was reported'
  | 'takes reports of other claims';

/** The use cases of hosts that connect agents. */
export type AgentLedger = Pick<
  AgentAttempts,
  'claimIn' | 'releaseIn' | 'reportIn' | 'renewIn' | 'endLeasesIn' | 'seenIn' | 'stopsIn' | 'workIn'
>;

/** Returns the ledger with a planted bug. */
export function withAgentBug(attempts: AgentAttempts, bug: AgentBug | null): AgentLedger {
  const ledger: AgentLedger = {
    claimIn: (...args) => attempts.claimIn(...args),
    releaseIn: (...args) => attempts.releaseIn(...args),
    reportIn: (...args) => attempts.reportIn(...args),
    renewIn: (...args) => attempts.renewIn(...args),
    endLeasesIn: (...args) => attempts.endLeasesIn(...args),
    seenIn: (...args) => attempts.seenIn(...args),
    stopsIn: (...args) => attempts.stopsIn(...args),
    workIn: (...args) => attempts.workIn(...args),
  };
  switch (bug) {
    case 'stores reports again':
      return withReports(ledger, (report, { reported }) => ({ ...report, seq: Math.max(report.seq, reported + 1) }));
    case 'stores early reports':
      return withReports(ledger, (report, { reported }) => ({ ...report, seq: Math.min(report.seq, reported + 1) }));
    case 'takes reports of other claims':
      return withReports(ledger, (report, { claim, agent, reported }) =>
        report.claim === claim ? report : { ...report, claim, agent, seq: reported + 1 },
      );
    case 'releases what was reported':
      return {
        ...ledger,
        releaseIn: (tables, ...args) => ledger.releaseIn(withoutReports(tables), ...args),
        endLeasesIn: (tables, ...args) => ledger.endLeasesIn(withoutReports(tables), ...args),
      };
    default:
      return ledger;
  }
}

/** Changes each report by the lease of its job, one after the other. */
function withReports(
  ledger: AgentLedger,
  change: (report: ReportedEvent, lease: AgentLeaseRow) => ReportedEvent,
): AgentLedger {
  return {
    ...ledger,
    reportIn: async (tables, reports, leases) => {
      const outcomes = new Map<ReportedEvent, ReportOutcome>();
      for (const report of reports.toSorted((one, other) => one.seq - other.seq)) {
        const [lease] = await tables.of(AgentLease).find({ where: [['job_id', '=', report.jobId]] });
        const [outcome] = await ledger.reportIn(tables, [lease ? change(report, lease) : report], leases);
        if (outcome) outcomes.set(report, outcome);
      }
      return reports.map((report) => required(outcomes.get(report), 'outcome of a report'));
    },
  };
}

/** Returns tables in which no lease has a report. */
function withoutReports(tables: Tables): Tables {
  return withBuggyTable(tables, AgentLease, (table) => ({
    find: async (query?: Query) => {
      const where = (query?.where ?? []).filter((term) => 'any' in term || term[0] !== 'reported');
      return (await table.find({ ...query, where })).map((row) => ({ ...row, reported: 0 }));
    },
  }));
}
