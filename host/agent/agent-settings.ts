import type { SettingName } from '../config/settings.ts';

/** The settings that an agent goes by: those of executors, of its shutdown and of its log. */
export const agentSettings: readonly SettingName[] = [
  'timezone',
  'shutdown_grace',
  'max_output',
  'run_as',
  'job_users',
  'executables',
  'outbound_networks',
  'plugins',
  'plugin_options',
  'log_level',
  'log_format',
];
