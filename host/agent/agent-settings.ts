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

/** Returns why a setting that is none of an agent may not be set: an agent must not even know the database and the key of the service. */
export function refusalByAgent(name: SettingName): string | null {
  if (agentSettings.includes(name)) return null;
  if (name === 'workers') return 'is not a setting of an agent: its --slots says how many jobs run at once.';
  return 'is not a setting of an agent, which has neither a store nor an API: leave it out on this machine.';
}
