import type { Attack } from './attack.ts';
import { environmentAttacks } from './attacks/environment.ts';
import { largeValueAttacks } from './attacks/large-values.ts';
import { maskingAttacks } from './attacks/masking.ts';
import { nameAttacks } from './attacks/names.ts';
import { processAttacks } from './attacks/processes.ts';
import { guessingAttacks, requestAttacks } from './attacks/requests.ts';
import { slotAttacks } from './attacks/slots.ts';

export const allAttacks: readonly Attack[] = [
  ...environmentAttacks,
  ...largeValueAttacks,
  ...maskingAttacks,
  ...nameAttacks,
  ...requestAttacks,
  ...slotAttacks,
  ...processAttacks,
  ...guessingAttacks,
];
