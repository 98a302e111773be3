import { hrefOf } from '../app/router.ts';
import { Choice } from '../lists/choice.tsx';
import { PeriodFilter } from '../lists/period.tsx';
import { RecordFilter } from '../lists/record-filter.tsx';
import { Row, Rows } from '../lists/rows.tsx';
import { useSteady } from '../lists/steady.ts';
import { Stream } from '../lists/stream.tsx';
import { Dot } from '../parts/dot.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';
import { type DeliveryRow, deliveryInterval } from './delivery.ts';
import { DeliveryOutcome } from './delivery-outcome.tsx';
import { NoticeSentence } from './notice-sentence.tsx';
import { RetryDelivery } from './retry-delivery.tsx';

const parameters = ['state', 'runtemplate_id', 'after'];
const live = { kinds: ['Delivery'], every: deliveryInterval };

/** The notices of the service, and whether they arrived: the newest first. */
export function Deliveries() {
  const text = words.value.deliveries;
  return (
    <Stream<DeliveryRow>
      list="deliveries"
      parameters={parameters}
      live={live}
      text={text}
      needing={{ state: 'failed', sentence: text.failed }}
      filters={
        <>
          <Choice name="state" label={text.state} options={text.states} />
          <RecordFilter name="runtemplate_id" label={text.template} of="RunTemplate" />
          <PeriodFilter />
        </>
      }
      begin={
        <a class="button" href={hrefOf('/templates')}>
          {text.toTemplates}
        </a>
      }
    >
      {(rows) => <List rows={rows} />}
    </Stream>
  );
}

function List({ rows }: { readonly rows: readonly DeliveryRow[] }) {
  const text = words.value.deliveries;
  const steady = useSteady(rows, ({ id }) => id);
  return (
    <Rows of={steady} label={text.title}>
      {(delivery) => (
        <Row
          key={delivery.id}
          lead={<Dot state={delivery.state} />}
          title={<NoticeSentence of={delivery} />}
          href={hrefOf(`/deliveries/${delivery.id}`)}
          under={
            <>
              <When at={delivery.created_at} /> · {text.by(delivery.action)} → <bdi>{delivery.endpoint}</bdi>
              {delivery.company_id !== null && (
                <>
                  {' · '}
                  <Name of="Company" id={delivery.company_id} />
                </>
              )}
            </>
          }
          acts={<RetryDelivery of={delivery} />}
        >
          <DeliveryOutcome of={delivery} />
        </Row>
      )}
    </Rows>
  );
}
