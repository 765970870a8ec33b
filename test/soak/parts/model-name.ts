/** The model that the product is configured with, and that the provider says it is. */
export const modelName = 'claude-soak';
