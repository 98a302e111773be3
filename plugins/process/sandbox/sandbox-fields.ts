import { flag, integer } from '@horarium/core/plugin';

/**
 * The options that `sandboxOptionsOf` reads, as a plugin or an executor has them.
 * @param restricts whether they are the options of templates, which add to what the plugin's ask for.
 * @param needs what isolation and limits need, a sentence each.
 */
export function sandboxFields(restricts: boolean, [isolation, limits]: readonly [string, string] = ['', '']) {
  const more = (sentence: string, need: string) => ({
    ...(restricts && { restricts }),
    description: `${sentence} ${need}`.trim(),
  });
  const limit = (sentence: string) => integer(more(sentence, limits)).min(1);
  return {
    private_network: flag(false, more('The job reaches no network, not even its PING_URL.', isolation)),
    read_only_root: flag(
      false,
      more('The job can write only to its working directory and to a /tmp of its own.', isolation),
    ),
    memory_max: limit('Bytes of memory that the job may use; beyond them it is killed.'),
    pids_max: limit('Processes and threads that the job may have.'),
    cpu_max: limit('Percent of one processor that the job may use: 200 is two.'),
  };
}

/** What the options of native jobs need. */
export const nativeNeeds = ['Needs bubblewrap.', 'Needs a delegated cgroup.'] as const;
