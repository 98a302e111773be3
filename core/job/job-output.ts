import { binary, choice, count, instant, ref } from '../field/fields.ts';
import { defineBookkeeping } from '../store/table.ts';

/** A piece of what a job wrote, in the order it came. */
export const JobOutput = defineBookkeeping({
  name: 'JobOutput',
  fields: {
    job_id: ref('Job', { indexed: false, onDelete: 'cascade' }).required(),
    seq: count(0),
    stream: choice(['stdout', 'stderr']).required(),
    at: instant().required(),
    data: binary().required(),
  },
  unique: [['job_id', 'seq']],
});
