# frozen_string_literal: true

# Bellhop from a backend in Ruby 3.1 or later, which alone may have the secret.
# /docs of your server describes every field; `bellhop manual backends` has examples.

require "json"
require "net/http"
require "openssl"
require "securerandom"
require "uri"

class Bellhop
  # Seconds to connect, and to wait for bytes. Three tries and the pauses between them take about two minutes.
  TIMEOUT = 10
  TRIES = 3
  # A server that asks for a longer pause (seconds) is not waited for: a job should come back later.
  LONGEST_PAUSE = 30
  # Seconds, as in Standard Webhooks.
  TOLERANCE = 300

  # +status+ is that of HTTP, or 0 without an answer; +code+ is such as InvalidArgument, or empty.
  class Error < StandardError
    attr_reader :status, :code

    def initialize(status, code, message)
      super(message)
      @status = status
      @code = code
    end
  end

  class << self
    # Proves to Bellhop who a user is: the app gets it with its sign-in, and sends it as user_proof.
    # +key+ is that of `bellhop app user-key`.
    def user_proof(user, key = ENV["BELLHOP_USER_KEY"])
      OpenSSL::HMAC.hexdigest("SHA256", setting("BELLHOP_USER_KEY", key, /bhu_\S+/, "a user key, bhu_…"), user)
    end

    # The event in a call of a webhook, or nil where it is not from Bellhop, or old. +body+ is as it came, not parsed;
    # +headers+ are Rails' request.headers, or names in lower case; +secret+ is that of `bellhop app webhook`; +now+ in
    # seconds since 1970.
    def verify_webhook(body, headers, secret, now = Time.now.to_i)
      raise ArgumentError, "The secret of a webhook is whsec_…" unless secret.start_with?("whsec_")

      timestamp = headers["webhook-timestamp"].to_s
      return nil unless timestamp.match?(/\A\d+\z/) && (now - timestamp.to_i).abs <= TOLERANCE

      key = secret.delete_prefix("whsec_").unpack1("m0")
      signed = "#{headers["webhook-id"]}.#{timestamp}.".b + body.b
      expected = "v1,#{[OpenSSL::HMAC.digest("SHA256", key, signed)].pack("m0")}"
      # While a secret is replaced, a call may have several.
      given = headers["webhook-signature"].to_s.split
      genuine = given.any? { |one| OpenSSL.secure_compare(one, expected) }
      genuine ? JSON.parse(body) : nil
    end

    def setting(name, value, pattern, expected)
      return value if value.is_a?(String) && value.match?(/\A(?:#{pattern})\z/)

      raise ArgumentError, "#{name} must be #{expected}"
    end
  end

  def initialize(url: ENV["BELLHOP_URL"], app: ENV["BELLHOP_APP_ID"], secret: ENV["BELLHOP_SECRET"])
    address = "an address, such as https://push.example.com."
    @url = Bellhop.setting("BELLHOP_URL", url, %r{https?://\S+}, address).chomp("/")
    @app = Bellhop.setting("BELLHOP_APP_ID", app, /app_\w+/, "the ID of an application, app_…")
    @secret = Bellhop.setting("BELLHOP_SECRET", secret, /bhs_[\w-]+/, "the secret of an application, bhs_…")
  end

  # Sends +message+ to +target+, and returns the ID of the push. { token: …, platform: … } is one device,
  # { users: ["17"] } or another filter those that match, { platform: ["0", "1"] } everyone. A push with the same +key+ is
  # sent once, so a job that may run again gives one of its own.
  def push(target, message, key: SecureRandom.uuid)
    one = target.key?(:token) || target.key?("token")
    request = Net::HTTP::Post.new(URI("#{@url}#{one ? "/push/one" : "/push/all"}"))
    request["Idempotency-Key"] = key
    request.body = JSON.generate(target.merge(message))
    answer = call(request)
    id = answer["id"] if answer.is_a?(Hash)
    id.is_a?(String) ? id : raise(Error.new(0, "", "Bellhop did not answer: the answer has no id"))
  end

  # How far a push is: its state, t devices, s accepted, and what failed.
  def status(push)
    call(Net::HTTP::Get.new(URI("#{@url}/push/#{URI.encode_www_form_component(push)}")))
  end

  # Errors and consoles show it.
  def inspect
    "#<Bellhop #{@app} at #{@url}>"
  end

  private

  def call(request)
    request["Accept-Version"] = "1"
    request["Content-Type"] = "application/json"
    request["X-SERVICE-APPID"] = @app
    request["X-SERVICE-SECRET"] = @secret
    1.step do |tries|
      pause = 2**tries / 4.0
      begin
        # It follows no redirects: another server must not get the secret.
        answer = connection(request.uri).start { |http| http.request(request) }
        return JSON.parse(answer.body.to_s) if answer.is_a?(Net::HTTPSuccess)

        after = answer["Retry-After"].to_s
        pause = after.to_i if after.match?(/\A\d+\z/)
        error = refusal(answer)
      rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError, Net::ProtocolError,
             Net::HTTPBadResponse, JSON::ParserError, EncodingError => e
        error = Error.new(0, "", "Bellhop did not answer: #{e.message.scrub}")
      end
      again = [0, 429].include?(error.status) || error.status >= 500
      raise error if !again || tries == TRIES || pause > LONGEST_PAUSE

      sleep(pause)
    end
  end

  def connection(uri)
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = uri.scheme == "https"
    http.open_timeout = http.read_timeout = http.write_timeout = TIMEOUT
    # What is repeated is decided here.
    http.max_retries = 0
    http
  end

  def refusal(answer)
    status = answer.code.to_i
    case JSON.parse(answer.body.to_s, symbolize_names: true)
    in { code: String => code, message: }
      Error.new(status, code, "Bellhop answered #{status} #{code}: #{message}")
    else
      Error.new(status, "", "Bellhop answered #{status}.")
    end
  rescue JSON::ParserError, EncodingError
    Error.new(status, "", "Bellhop answered #{status}.")
  end
end
