import { count, defineAction, definePlugin } from '@horarium/core/plugin';

/** Switches a template off that fails again and again, so that it does no more harm. */
export default definePlugin({
  name: 'action-disable',
  api: 1,
  actions: () => [
    defineAction({
      name: 'disable',
      options: {
        after: count(1, {
          description:
            'The template is switched off after this many failures in a row: failed or missed Tasks, and failed ad hoc jobs.',
        }).min(1),
      },
      async deliver({ options: { after }, notice: { failures }, deactivateTemplate }) {
        if (failures < after) return { response: `Nothing is done: ${failures} of ${after} failures in a row.` };
        return { response: await deactivateTemplate() };
      },
    }),
  ],
});
