import type { Milliseconds } from '@horarium/core';
import type { AttemptLeaseTimes } from '@horarium/core/plugin';

const second = 1000;
const minute = 60 * second;

/** As long as the lease of the simulated workers, for the same reason. */
export const lease: Milliseconds = 40 * second;
export const beatInterval: Milliseconds = lease / 4;
/** How long an agent waits for the answer to a claim. */
export const answerWait: Milliseconds = 5 * second;
/** How long hosts let leases last, but for the margin. */
export const leaseTimes: AttemptLeaseTimes = { claimed: lease + answerWait, shown: lease };
/** How often an agent with a free slot asks. */
export const askInterval: Milliseconds = 12 * second;
/** How long a sign of life of the hosts lets agents ask. */
export const hostsWait: Milliseconds = 30 * second;
/** How long agents run jobs without a sign of life of the hosts. */
export const offlineGrace: Milliseconds = 4 * minute;
/** How long a request to the broker waits for its response. */
export const responseWait: Milliseconds = 4 * second;
/** How long the broker waits for the acknowledgement of a report before it delivers it again. */
export const acknowledgementWait: Milliseconds = 20 * second;
/** How long the broker knows the reports that it has stored, to drop doubles. */
export const doublesWindow: Milliseconds = 30 * second;
/** By how much hosts end leases later, because killing takes a second, and the store's clock may be corrected meanwhile. */
export const leaseMargin: Milliseconds = 6 * second;
