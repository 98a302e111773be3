import type { MigrationEntry } from '../../../schema/schema.ts';

/** All migrations for SQLite, oldest first. */
export const sqliteMigrations: readonly MigrationEntry[] = [
  {
    name: 'Migration20261123181013_initial',
    load: async () => (await import('./20261123181013-initial.ts')).Migration20261123181013_initial,
  },
  {
    name: 'Migration20261125224059_app_executors',
    load: async () => (await import('./20261125224059-app-executors.ts')).Migration20261125224059_app_executors,
  },
  {
    name: 'Migration20261125233543_listed_actions',
    load: async () => (await import('./20261125233543-listed-actions.ts')).Migration20261125233543_listed_actions,
  },
  {
    name: 'Migration20261125234717_light_queue',
    load: async () => (await import('./20261125234717-light-queue.ts')).Migration20261125234717_light_queue,
  },
  {
    name: 'Migration20261125235630_shared_entries',
    load: async () => (await import('./20261125235630-shared-entries.ts')).Migration20261125235630_shared_entries,
  },
  {
    name: 'Migration20261126000914_event_tries',
    load: async () => (await import('./20261126000914-event-tries.ts')).Migration20261126000914_event_tries,
  },
  {
    name: 'Migration20261126021800_one_usage_row',
    load: async () => (await import('./20261126021800-one-usage-row.ts')).Migration20261126021800_one_usage_row,
  },
  {
    name: 'Migration20261126072700_moved_pings',
    load: async () => (await import('./20261126072700-moved-pings.ts')).Migration20261126072700_moved_pings,
  },
  {
    name: 'Migration20261127023334_task_end',
    load: async () => (await import('./20261127023334-task-end.ts')).Migration20261127023334_task_end,
  },
  {
    name: 'Migration20261127190616_pause',
    load: async () => (await import('./20261127190616-pause.ts')).Migration20261127190616_pause,
  },
  {
    name: 'Migration20261128012358_backfilled_tasks',
    load: async () => (await import('./20261128012358-backfilled-tasks.ts')).Migration20261128012358_backfilled_tasks,
  },
  {
    name: 'Migration20261128051710_calendars',
    load: async () => (await import('./20261128051710-calendars.ts')).Migration20261128051710_calendars,
  },
  {
    name: 'Migration20261128083032_maintenance_windows',
    load: async () =>
      (await import('./20261128083032-maintenance-windows.ts')).Migration20261128083032_maintenance_windows,
  },
  {
    name: 'Migration20261128135011_retention',
    load: async () => (await import('./20261128135011-retention.ts')).Migration20261128135011_retention,
  },
  {
    name: 'Migration20261128173739_audit_checkpoint',
    load: async () => (await import('./20261128173739-audit-checkpoint.ts')).Migration20261128173739_audit_checkpoint,
  },
  {
    name: 'Migration20261129203059_ended_tasks_by_state',
    load: async () =>
      (await import('./20261129203059-ended-tasks-by-state.ts')).Migration20261129203059_ended_tasks_by_state,
  },
  {
    name: 'Migration20261130072026_token_revoked_at',
    load: async () => (await import('./20261130072026-token-revoked-at.ts')).Migration20261130072026_token_revoked_at,
  },
  {
    name: 'Migration20261130171510_agents',
    load: async () => (await import('./20261130171510-agents.ts')).Migration20261130171510_agents,
  },
  {
    name: 'Migration20261130231508_agent_presence',
    load: async () => (await import('./20261130231508-agent-presence.ts')).Migration20261130231508_agent_presence,
  },
];
