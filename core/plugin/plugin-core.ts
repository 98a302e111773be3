import type { Core } from '../core.ts';

/**
 * The part of the core that routes and commands work with: the records and the use cases for callers. It starts and
 * stops nothing, and has neither the keys nor what authenticates.
 */
export type PluginCore = PluginMembers & {
  readonly forChannels: Pick<Core['forChannels'], 'serialize' | 'countUnknownSecret'>;
};

type PluginMembers = Pick<
  Core,
  | 'version'
  | 'clock'
  | 'timezone'
  | 'store'
  | 'records'
  | 'refusals'
  | 'forms'
  | 'search'
  // Users.
  | 'tokens'
  | 'passwordChange'
  | 'roles'
  // What changes.
  | 'changes'
  // Tasks and jobs.
  | 'preview'
  | 'previewClockChanges'
  | 'summary'
  | 'timeline'
  | 'outlook'
  | 'why'
  | 'whyEach'
  | 'undoIn'
  | 'taskSummary'
  | 'waiveTasksIn'
  | 'backfillIn'
  | 'jobs'
  | 'externalJobs'
  | 'agents'
  | 'onJobs'
  | 'heartbeats'
  | 'artifact'
  // Events.
  | 'events'
  | 'eventSources'
  // Actions.
  | 'deliveries'
  // The service.
  | 'readiness'
  | 'clockConfirmation'
  | 'status'
  | 'figures'
>;
