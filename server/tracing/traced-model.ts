import { nameOrNull } from '../http/requests/bounded-text.ts';
import type { Model, TextSink } from '../model/model.ts';
import { failSpan, type RequestSpans } from './request-spans.ts';

/** The same model, with a span around each reply. The provider is told nothing of it. */
export function tracedModel(model: Model, spans: RequestSpans): Model {
  return {
    close: model.close,

    // Not async, and no closure of it names the request: a frame would hold the prompt until the reply has ended.
    reply(request, onText, signal) {
      const span = spans.begin('chat', { 'gen_ai.operation.name': 'chat' });
      if (span === undefined) return model.reply(request, onText, signal);
      let begun = false;
      const take: TextSink = (delta) => {
        if (!begun) {
          begun = true;
          span.addEvent('first text');
        }
        return onText(delta);
      };
      return model
        .reply(request, take, signal)
        .then(
          (outcome) => {
            const { usage, ending, error } = outcome;
            const [name, providerRequestId] = [nameOrNull(outcome.model), nameOrNull(outcome.providerRequestId)];
            span.setAttributes({
              ...(name !== null && { 'gen_ai.response.model': name }),
              ...(providerRequestId !== null && { 'advisory_chat.provider_request_id': providerRequestId }),
              'gen_ai.usage.input_tokens': usage.inputTokens,
              'gen_ai.usage.output_tokens': usage.outputTokens,
              'advisory_chat.ending': ending,
            });
            if (error !== null) failSpan(span, error);
            return outcome;
          },
          (error) => {
            failSpan(span, error);
            throw error;
          },
        )
        .finally(() => span.end());
    },
  };
}
