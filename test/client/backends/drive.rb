# Carries out the calls that test/client/backends.test.ts gives, a line each, with the files of arguments 1 and 2.
require ARGV[0]

# Stands in for what noticed has.
module Noticed
  DeliveryMethod = Struct.new(:given) do
    def self.required_options(*) = nil

    def evaluate_option(name) = given[name]

    def recipient = Struct.new(:id).new(given[:user])

    def job_id = given[:job]
  end
end

require ARGV[1]

def carry_out(given)
  case given
  in { call: "push", target:, message: }
    options = given.slice(:key)
    place = %i[url app secret].zip(given[:place] || []).to_h.compact
    Bellhop.new(**place).push(target, message, **options)
  in { call: "status", id: } then Bellhop.new.status(id)
  in { call: "proof", user: } then Bellhop.user_proof(user)
  in { call: "verify", body:, headers:, secret:, now: }
    Bellhop.verify_webhook(body, headers.transform_keys(&:to_s), secret, now)
  in { call: "notify" }
    BellhopDelivery.new(given).deliver
    nil
  in { call: "show" } then Bellhop.new.inspect
  end
end

$stdout.sync = true
$stdin.each_line do |line|
  said =
    begin
      { is: carry_out(JSON.parse(line, symbolize_names: true)) }
    rescue Bellhop::Error => e
      { status: e.status, code: e.code, message: e.message }
    rescue ArgumentError => e
      { message: e.message }
    end
  puts JSON.generate(said)
end
