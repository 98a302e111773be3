import { agentExecutor } from '@horarium/core/plugin';

const size = 1_000_000;

/** The executor of the simulated agents. */
export const fleetExecutor = agentExecutor({
  name: 'agent',
  limits: { maxOutput: size, maxFileSize: size, maxTotalFileSize: size, maxFiles: 100 },
});
