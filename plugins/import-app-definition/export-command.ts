import { App, defineCommand, ref, Topic } from '@horarium/core/plugin';
import type { AppInput } from './app-input.ts';
import { writeAppDefinition } from './write-definition.ts';

/** `app:export ID` */
export const exportCommand = defineCommand({
  name: 'app:export',
  summary: 'Write an app as an application definition.',
  group: 'Import and export:',
  arguments: { id: ref('App', { description: 'its number' }).required() },
  async run({ core, actor, arguments: { id }, output }) {
    const app = await core.records(App).get(actor, id);
    const names = await core.store.read(async (tables) => {
      const topics = await tables.of(Topic).find({ where: [['id', 'in', app.topics]] });
      return app.topics.map((each) => topics.find((topic) => topic.id === each)?.name ?? '');
    });
    await output.write(writeAppDefinition({ ...app, topic_names: names } as AppInput));
  },
});
