import { trustedActor } from '../resource/actor.ts';

/** Who deletes what has been kept for long enough, as the audit log names it. */
export const retentionActor = trustedActor('retention');
