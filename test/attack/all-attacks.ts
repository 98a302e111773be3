import type { Attack } from './attack.ts';
import { agentBoundAttacks } from './attacks/agents/bounds.ts';
import { agentClaimAttacks } from './attacks/agents/claims.ts';
import { agentFloodAttacks } from './attacks/agents/floods.ts';
import { agentForgeryAttacks } from './attacks/agents/forgeries.ts';
import { agentReplayAttacks } from './attacks/agents/replays.ts';
import { assetAttacks } from './attacks/assets.ts';
import { auditLogAttacks } from './attacks/audit-log.ts';
import { changeAttacks } from './attacks/changes.ts';
import { clockAttacks } from './attacks/clocks.ts';
import { consoleAttacks } from './attacks/console.ts';
import { credentialAttacks } from './attacks/credentials.ts';
import { environmentAttacks } from './attacks/environment.ts';
import { eventAttacks } from './attacks/events.ts';
import { executorAttacks } from './attacks/executors.ts';
import { largeValueAttacks } from './attacks/large-values.ts';
import { limitAttacks } from './attacks/limits.ts';
import { maskingAttacks } from './attacks/masking.ts';
import { nameAttacks } from './attacks/names.ts';
import { neighbourAttacks } from './attacks/neighbours.ts';
import { processAttacks } from './attacks/processes.ts';
import { readinessAttacks } from './attacks/readiness.ts';
import { guessingAttacks, requestAttacks } from './attacks/requests.ts';
import { restartAttacks } from './attacks/restarts.ts';
import { sessionAttacks } from './attacks/sessions.ts';
import { slotAttacks } from './attacks/slots.ts';
import { sourceAttacks } from './attacks/sources.ts';

export const allAttacks: readonly Attack[] = [
  ...environmentAttacks,
  ...credentialAttacks,
  ...executorAttacks,
  ...largeValueAttacks,
  ...maskingAttacks,
  ...nameAttacks,
  ...requestAttacks,
  ...sessionAttacks,
  ...changeAttacks,
  ...assetAttacks,
  ...consoleAttacks,
  ...slotAttacks,
  ...limitAttacks,
  ...eventAttacks,
  ...sourceAttacks,
  ...processAttacks,
  ...neighbourAttacks,
  ...restartAttacks,
  ...clockAttacks,
  ...readinessAttacks,
  ...auditLogAttacks,
  ...agentClaimAttacks,
  ...agentForgeryAttacks,
  ...agentReplayAttacks,
  ...agentBoundAttacks,
  ...agentFloodAttacks,
  ...guessingAttacks,
];
